import { fail, isEncryptedId, ok, parseRecoveryCode, type Result } from "@tidemark/protocol";
import { sha256 } from "../../../platform/hash.ts";
import { safeText } from "../../../platform/terminal.ts";
import type { Replica } from "../../../store/replica-store.ts";
import { isFingerprint } from "../../../sync/sealed/device-statement.ts";
import type { Keeper, Look, Waiting } from "../../../sync/sealed/keeper.ts";
import type { Call, Command, Outcome } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { columns } from "../render/text.ts";
import { findNamespace } from "../scope.ts";
import { misuse, trouble, type Trouble } from "../trouble.ts";

const nameArgument = { syntax: "<namespace>", help: "its name or id" };

/** Lets a device in whose fingerprint was compared. */
export const admit: Command = {
  arguments: [nameArgument],
  options: [
    { flags: "--device <device>", help: "the one to let in, by its id or name" },
    { flags: "--fingerprint <text>", help: "what that device shows of itself" },
  ],
  notes:
    "Run it on the device that waits to see its fingerprint, and on one that has the key to let it in.\n" +
    "The server names the devices and could name one of its own: compare the fingerprint on both\n" +
    "screens, or give it with --fingerprint. It is the whole of what keeps the server out.",
  run: async (deps, call) => {
    const opened = await openEncrypted(deps, call);
    if (!opened.ok) return opened;
    const { keeper, replica } = opened.value;
    const look = await keeper.look(replica.namespace, deps.signal);
    if (!look.ok) return fail(trouble(look.error));
    if (!look.value.hasKey || !look.value.isIn) return ok(waits(deps, replica, look.value));
    const wanted = call.text("device");
    if (wanted === undefined && call.text("fingerprint") !== undefined) {
      return fail(misuse("--fingerprint is for the device of --device", usage));
    }
    const found = wanted === undefined ? ok(look.value.waiting) : named(look.value, wanted);
    if (!found.ok) return found;
    if (found.value.length === 0) {
      const { fingerprint } = look.value;
      return ok({
        json: { waits: false, admitted: [], waiting: 0, fingerprint },
        text: `no device waits for a key; this one has it, and its fingerprint is ${fingerprint}`,
      });
    }
    return await admitAll(deps, call, opened.value, found.value);
  },
};

const usage =
  "tidemark namespace admit team --device laptop-b --fingerprint xxxx-xxxx-xxxx-xxxx-xxxx";

async function admitAll(
  deps: CliDeps,
  call: Call,
  { keeper, replica }: Encrypted,
  waiting: readonly Waiting[],
): Promise<Outcome> {
  const typed = call.text("fingerprint");
  const canAsk = deps.io.hasPerson && !call.isJson;
  if (typed === undefined && !canAsk) return fail(needsFingerprint(replica, waiting));
  const admitted: string[] = [];
  for (const one of waiting) {
    const isSame = typed === undefined ? await isConfirmed(deps, one) : isFingerprint(typed, one.fingerprint); // prettier-ignore
    if (typed !== undefined && !isSame) return fail(otherFingerprint(one));
    if (!isSame) continue;
    const done = await keeper.admit(replica.namespace, one, deps.signal);
    if (!done.ok) return fail(trouble(done.error));
    admitted.push(one.name);
  }
  const text =
    admitted.length === 0
      ? "nobody was let in"
      : `let in ${admitted.map((name) => safeText(name)).join(", ")}; the keys come with its next sync`;
  return ok({ json: { admitted, waiting: waiting.length - admitted.length }, text });
}

async function isConfirmed(deps: CliDeps, one: Waiting): Promise<boolean> {
  const name = one.isOwn
    ? `${safeText(one.name)}, a device of yours`
    : safeText(`${one.name} of ${one.userName}`);
  const right = one.isAdmin ? `${name}${one.isOwn ? " that" : ", which"} may let others in,` : name;
  const who = one.wasOut ? `${right} was taken out before; it` : right;
  const question =
    `${who} waits for the key. It is that device if it shows\n\n  ${one.fingerprint}\n\n` +
    `as its fingerprint (\`tidemark namespace admit\` there). Let it in? [y/N] `;
  return /^y(?:es)?$/iu.test((await deps.io.ask(question))?.trim() ?? "");
}

function needsFingerprint({ namespace }: Replica, waiting: readonly Waiting[]): Trouble {
  const names = waiting.map(({ name, userName }) => safeText(`${name} of ${userName}`)).join(", ");
  const device = waiting.length === 1 ? (waiting[0]?.keys.device ?? "ID") : "ID";
  return trouble({
    code: "needs-fingerprint",
    message: `${names}: nobody is here to compare fingerprints`,
    hint: `tidemark namespace admit ${namespace} --device ${device} --fingerprint …; the device that waits shows it`,
  });
}

function otherFingerprint({ name, fingerprint }: Waiting): Trouble {
  return trouble({
    code: "other-fingerprint",
    message: `what the server calls ${safeText(name)} has another fingerprint, ${fingerprint}; nobody was let in`,
    hint: "look at the device itself; if it shows what you gave, the server names keys that are not its own",
  });
}

function waits(deps: CliDeps, replica: Replica, look: Look) {
  const { fingerprint, hasKey, isIn, isOut } = look;
  const device = deps.home().identity()?.device;
  if (isIn) return waitsForNewest(replica, device?.id, look);
  const json = { waits: true, wasTakenOut: isOut, device: device?.id ?? null, fingerprint };
  const why = isOut ? "was taken out and waits" : "waits";
  const what =
    hasKey && !isOut
      ? `to be let into ${safeText(replica.name)}: it has keys from before it was paired again, and gets no new one`
      : `for the key of ${safeText(replica.name)}`;
  const text =
    `this device ${why} ${what}; its fingerprint is\n\n  ${fingerprint}\n\n` +
    `hint: on a device that has the key: tidemark namespace admit ${replica.namespace} --device ${device?.id ?? "…"} --fingerprint ${fingerprint}`;
  return { json, text };
}

/** What a device is told that is in, and whose newest key has not come yet. */
function waitsForNewest(replica: Replica, device: string | undefined, look: Look) {
  const { fingerprint, isAdmin } = look;
  const rotate = `tidemark namespace rotate ${replica.namespace}`;
  const where = isAdmin ? "" : ", on an admin's device";
  const json = { waits: true, wasTakenOut: false, device: device ?? null, fingerprint };
  const text =
    `this device is in ${safeText(replica.name)} and waits for its newest key: that comes with the next sync\n` +
    `of an admin's device that has it, or of a device of yours\n` +
    `hint: if no device has it any more, the recovery code may: tidemark namespace recover ${replica.namespace}\n` +
    `hint: if nothing has it any more${where}: ${rotate}`;
  return { json, text };
}

function named({ waiting }: Look, wanted: string): Result<readonly Waiting[], Trouble> {
  const fits = waiting.filter(({ keys, name }) => keys.device === wanted || name === wanted);
  if (fits.length === 1) return ok(fits);
  const list = waiting.map(({ keys, name, userName }) => [keys.device, name, userName]);
  const message =
    fits.length === 0
      ? `no device ${wanted} waits for a key`
      : `several devices are called ${wanted}`;
  const hint =
    list.length === 0
      ? "it has to sync once first; and `tidemark namespace admit` there says if it is in already"
      : `give the id of one of these:\n${columns(list)}`;
  return fail(trouble({ code: "unknown-device", message, hint }));
}

/** Begins an epoch. */
export const rotate: Command = {
  arguments: [nameArgument],
  options: [
    { flags: "--recovery-code", help: "make a new recovery code as well; the old one is spent" },
  ],
  notes:
    "What is written from then on, nobody can read who had only earlier keys. It happens by itself when\n" +
    "a member or a device is shut out, with the next sync of an admin's device. Where no device has the\n" +
    "newest key any more, nor the recovery code, an admin's device that has an earlier key goes on by it;\n" +
    "what only the lost key opens stays sealed.",
  run: async (deps, call) => {
    const opened = await openEncrypted(deps, call);
    if (!opened.ok) return opened;
    const { keeper, replica } = opened.value;
    if (call.isOn("recoveryCode")) {
      const renewed = await keeper.renewRecovery(replica.namespace, deps.signal);
      if (!renewed.ok) return fail(trouble(renewed.error));
      return ok(newCode(replica, renewed.value.recoveryCode));
    }
    const done = await keeper.rotate(replica.namespace, deps.signal);
    if (!done.ok) return fail(trouble(done.error));
    const { epoch } = done.value;
    return ok({
      json: { namespace: replica.namespace, epoch },
      text: safeText(`${replica.name} has a new key, its ${ordinal(epoch)}`),
    });
  },
};

function newCode({ namespace, name }: Replica, recoveryCode: string) {
  const text =
    `${safeText(name)} has a new key, and a new recovery code, shown this once:\n\n  ${recoveryCode}\n\n` +
    "The one of before opens nothing that is written from now on, and lets nobody in.";
  return { json: { namespace, recoveryCode }, text };
}

function ordinal(count: number): string {
  const ends: Readonly<Record<number, string>> = { 1: "st", 2: "nd", 3: "rd" };
  const isTeen = count % 100 >= 11 && count % 100 <= 13;
  return `${count}${isTeen ? "th" : (ends[count % 10] ?? "th")}`;
}

/** Opens a namespace by its recovery code. */
export const recover: Command = {
  arguments: [nameArgument],
  notes:
    "For when no device that has the key is left. The code is asked for, or read from standard input:\n" +
    "on a command line every program of the machine could see it. The code works once: another one is\n" +
    "shown, and devices that were let in before stay in.",
  run: async (deps, call) => {
    const opened = await openEncrypted(deps, call);
    if (!opened.ok) return opened;
    const { keeper, replica } = opened.value;
    const typed = deps.io.hasPerson
      ? await deps.io.ask("recovery code: ")
      : await deps.io.stdinText();
    const code = parseRecoveryCode(sha256, typed ?? "");
    if (code === undefined) {
      return fail(
        trouble({
          code: "misspelt",
          message: "this is no recovery code: a character is wrong or missing",
          hint: "it has nine groups of four characters; look at each once more",
        }),
      );
    }
    const done = await keeper.recover(replica.namespace, code, deps.signal);
    if (!done.ok) return fail(trouble(done.error));
    const { json, text } = newCode(replica, done.value.recoveryCode);
    const head = "it is open on this device; the code that you gave is spent";
    return ok({ json, text: `${head}\n${text}\nhint: tidemark sync` });
  },
};

interface Encrypted {
  readonly keeper: Keeper;
  readonly replica: Replica;
}

async function openEncrypted(deps: CliDeps, call: Call): Promise<Result<Encrypted, Trouble>> {
  const runner = await deps.sync();
  await runner.learnNamespaces(deps.signal);
  const memory = deps.memory();
  const found = findNamespace(memory, call.args[0] ?? "");
  if (!found.ok) return found;
  const replica = found.value;
  if (!isEncryptedId(replica.namespace)) {
    return fail(
      trouble({
        code: "not-encrypted",
        message: `${safeText(replica.name)} is not encrypted: it has no keys`,
        hint: "tidemark namespace create <name> --encrypted",
      }),
    );
  }
  const server = await deps.server();
  return ok({ keeper: server.keeper(memory.store), replica });
}
