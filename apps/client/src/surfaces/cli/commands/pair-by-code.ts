import { ok } from "@tidemark/protocol";
import { isSameName } from "@tidemark/protocol/wire";
import { safeText } from "../../../platform/terminal.ts";
import type { Invitation } from "../../../wiring/ask-to-join.ts";
import type { Call, Outcome } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { timeLeft } from "../render/time-left.ts";
import { trouble } from "../trouble.ts";

/** How long giving up a device that was let in may take, in milliseconds. */
const refuseMsMax = 10_000;

/** Shows a code, waits, and asks before anything is sent (PR12). */
export async function pairByCode(deps: CliDeps, call: Call, address: string): Promise<Outcome> {
  const { io } = deps;
  const user = call.text("user");
  const asks = io.hasPerson && !call.isJson;
  if (!asks && user === undefined && !call.isOn("yes")) return { ok: false, error: nobodyToAsk };
  const name = call.text("name");
  const pairing = await deps.pairing();
  let expiresAtMs = 0;
  // A line that counts down is for a terminal; elsewhere the code is told once.
  const isLive = io.isErrTty && !call.isJson;
  const invited = await pairing.ask(
    address,
    {
      allowPlainLan: call.isOn("allowHttp"),
      ...(call.isOn("newKey") ? { isKeyGivenUp: true } : {}),
      ...(name === undefined ? {} : { deviceName: name }),
    },
    {
      show: (shown) => {
        ({ expiresAtMs } = shown);
        const left = timeLeft(expiresAtMs - deps.clock.nowMs());
        io.err(codeText(shown.code, isLive ? undefined : left));
      },
      tick: () => {
        if (!isLive || expiresAtMs === 0) return;
        io.err(`\r  waiting, expires in ${timeLeft(expiresAtMs - deps.clock.nowMs())} `);
      },
    },
    deps.signal,
  );
  if (isLive && expiresAtMs !== 0) io.err(`\r${" ".repeat(40)}\r`);
  if (!invited.ok) return { ok: false, error: trouble(invited.error) };
  return await confirm(deps, call, invited.value);
}

function codeText(code: string, left: string | undefined): string {
  const life = left === undefined ? "" : `   expires in ${left}`;
  return `  Code   ${code}${life}\n  On a paired device:  tidemark approve ${code}\n`;
}

async function confirm(deps: CliDeps, call: Call, invitation: Invitation): Promise<Outcome> {
  const { user, serverUrl, approvedBy } = invitation;
  const told = `Joined as ${user.name} (${user.id}) at ${serverUrl}, approved by ${approvedBy}`;
  deps.io.err(`${safeText(told)}\n`);
  const named = call.text("user");
  const wrong = named === undefined ? undefined : wrongAccount(invitation, named);
  if (wrong !== undefined) {
    await refuse(deps, invitation);
    return { ok: false, error: wrong };
  }
  if (named === undefined && !call.isOn("yes") && !(await isWelcome(deps))) {
    await refuse(deps, invitation);
    return { ok: false, error: declined };
  }
  invitation.accept();
  return ok({ json: undefined, text: undefined });
}

/** A name that two people have tells neither of them; an id tells one, whatever anybody is called. */
function wrongAccount(
  { user, isNameShared }: Invitation,
  named: string,
): ReturnType<typeof trouble> | undefined {
  const code = "wrong-account";
  const isId = named.startsWith("usr_");
  if (!(isId ? named === user.id : isSameName(named, user.name))) {
    const message = `${user.name} (${user.id}) approved, and not ${named}; nothing was sent`;
    const hint = "let the right person approve, or repeat with their name as the server has it";
    return trouble({ code, message, hint });
  }
  if (isId || !isNameShared) return undefined;
  const message = `more than one person here is called ${named}; nothing was sent`;
  const hint = `if ${user.id} is the one who should approve, repeat with --user ${user.id}`;
  return trouble({ code, message, hint });
}

async function isWelcome(deps: CliDeps): Promise<boolean> {
  const answer = await deps.io.ask("Send what this device remembers there? [Y/n] ");
  // The end of input is no yes.
  return answer !== undefined && /^(?:y(?:es)?)?$/iu.test(answer.trim());
}

async function refuse(deps: CliDeps, invitation: Invitation): Promise<void> {
  await invitation.refuse(AbortSignal.any([deps.signal, deps.after(refuseMsMax)]));
}

const nobodyToAsk = trouble({
  code: "confirm-needed",
  message: "there is nobody to ask whose device this is to be; nothing was sent",
  hint: "repeat with --user NAME, the person who will approve, by name or id, or with --yes to take anybody; or use a link",
});

const declined = trouble({
  code: "stopped",
  message: "not joined; nothing was sent",
  hint: "the server was told to shut this device out again; run the command again to pair",
});
