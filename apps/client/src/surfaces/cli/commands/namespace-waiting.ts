import { fail, ok, type Result } from "@tidemark/protocol";
import type { WaitingMember } from "@tidemark/protocol/wire";
import { safeText } from "../../../platform/terminal.ts";
import type { Replica } from "../../../store/replica-store.ts";
import { isSure, stopped } from "../ask.ts";
import type { Command } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { ageOf } from "../render/text.ts";
import { findNamespace } from "../scope.ts";
import { trouble, type Trouble } from "../trouble.ts";

const yesOption = { flags: "-y, --yes", help: "do not ask" };
const whoArguments = [
  { syntax: "<namespace>", help: "its name or id" },
  { syntax: "<user>", help: "the name or id of who waits" },
];

/** Lets in who opened an invite and waits. */
export const confirm: Command = {
  arguments: whoArguments,
  options: [yesOption],
  notes:
    "For admins and owners. `tidemark namespace members` shows who waits. The name of who waits is\n" +
    "the one that they gave themselves: ask them by another way whether it is they.",
  run: async (deps, call) => {
    const [name = "", user = ""] = call.args;
    const one = await findWaiting(deps, name, user);
    if (!one.ok) return one;
    const { namespace, who } = one.value;
    const lines = waitingLines([who], deps.clock.nowMs()).join("\n");
    if (!call.isJson && deps.io.hasPerson) deps.io.err(`${lines}\n`);
    const question = `Let ${who.user.name} into ${namespace.name} as ${who.role}?`;
    if (!(await isSure(deps, call, question))) return stopped;
    const { accounts } = await deps.server();
    const done = await accounts.confirmMember(namespace.namespace, who, deps.signal);
    if (!done.ok) return { ok: false, error: trouble(done.error) };
    const json = { namespace: namespace.namespace, user: who.user, role: who.role };
    return ok({ json, text: safeText(`${who.user.name} is ${who.role} of ${namespace.name}`) });
  },
};

/** Sends away who opened an invite and waits. */
export const decline: Command = {
  arguments: whoArguments,
  options: [yesOption],
  notes: "For admins and owners. They had read nothing; a new invite lets them ask again.",
  run: async (deps, call) => {
    const [name = "", user = ""] = call.args;
    const one = await findWaiting(deps, name, user);
    if (!one.ok) return one;
    const { namespace, who } = one.value;
    if (!(await isSure(deps, call, `Send ${who.user.name} away?`))) return stopped;
    const { accounts } = await deps.server();
    const done = await accounts.declineMember(namespace.namespace, who, deps.signal);
    if (!done.ok) return { ok: false, error: trouble(done.error) };
    const json = { namespace: namespace.namespace, user: who.user, declined: true };
    return ok({ json, text: safeText(`sent ${who.user.name} away from ${namespace.name}`) });
  },
};

/** Who waits, for a person to judge: who, from where, since when, and for whom the invite was. */
export function waitingLines(waiting: readonly WaitingMember[], nowMs: number): readonly string[] {
  return waiting.map((who) => {
    const { user, role, since, device, network, invitedBy, madeFor } = who;
    const from = network === undefined ? "" : `, ${network}`;
    const invite = madeFor === undefined ? "invited" : `invited for ${madeFor}`;
    const text = `${user.name} (${user.id}) waits to be let in as ${role}, ${ageOf(nowMs, since)}: ${device.name} (${device.platform}${from}), ${invite} by ${invitedBy.name}`;
    return isSomebodyElse(who)
      ? `${safeText(text)}\nwarning: ${safeText(`the invite was made for ${madeFor}, and ${user.name} has opened it`)}`
      : safeText(text);
  });
}

/** Whether an invite that names somebody was opened by one who goes by another name. */
export function isSomebodyElse({ user, madeFor }: WaitingMember): boolean {
  if (madeFor === undefined || madeFor === user.id) return false;
  return madeFor.trim().toLowerCase() !== user.name.trim().toLowerCase();
}

async function findWaiting(
  deps: CliDeps,
  name: string,
  user: string,
): Promise<Result<{ readonly namespace: Replica; readonly who: WaitingMember }, Trouble>> {
  const found = findNamespace(deps.memory(), name);
  if (!found.ok) return found;
  const { accounts } = await deps.server();
  const answer = await accounts.waiting(found.value.namespace, deps.signal);
  if (!answer.ok) return fail(trouble(answer.error));
  const fits = answer.value.filter((one) => one.user.id === user || one.user.name === user);
  const [who, second] = fits;
  if (who !== undefined && second === undefined) return ok({ namespace: found.value, who });
  const message =
    who === undefined
      ? `nobody called ${user} waits to be let into ${found.value.name}`
      : `several who wait are called ${user}; name one by id`;
  const hint = "`tidemark namespace members` shows who waits, with ids";
  return fail(trouble({ code: "unknown-user", message, hint }));
}
