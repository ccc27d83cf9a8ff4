import {
  encryptedNamespaceId,
  fail,
  ok,
  recoveryBytes,
  recoveryCode,
  type LogState,
  type NamespaceId,
  type Result,
} from "@tidemark/protocol";
import type { KeysAnswer, KeyWrap, NamespaceInfo } from "@tidemark/protocol/wire";
import { accessError, type AccessError } from "../access/access-error.ts";
import { fingerprint, statedKeys, type DeviceKeys } from "./device-statement.ts";
import { commitOf, type EpochKey } from "./epoch-key.ts";
import { openWraps, wrapsFor, wrapsForAll, type Opened } from "./handed-keys.ts";
import { takeKeys, type Taken } from "./key-exchange.ts";
import { signEntries, signGenesis, type LogSigner, type Said } from "./log-entries.ts";
import { membersOf, nextEpoch } from "./next-epoch.ts";
import type { Holder, SealedParts } from "./own-keys.ts";
import { isRecovery, recoveryHolder, type HolderOf } from "./recovery-holder.ts";

/** What people do with the keys of encrypted namespaces. Every call ends when its signal aborts. */
export interface Keeper {
  /** Makes one, with a recovery code that is shown once (EE16). */
  create(name: string, signal: AbortSignal): Done<Created>;
  /** Asks for the key here; says who waits to be let in. */
  look(namespace: NamespaceId, signal: AbortSignal): Done<Look>;
  /** Lets a device in whose fingerprint a person has compared, and hands it the keys (EE14). */
  admit(namespace: NamespaceId, waiting: Waiting, signal: AbortSignal): Done<void>;
  /** Begins an epoch: what is written from now on, nobody who had only earlier keys can read. */
  rotate(namespace: NamespaceId, signal: AbortSignal): Done<{ readonly epoch: number }>;
  /** Takes the recovery code out and makes another, under a new epoch (EE16). */
  renewRecovery(
    namespace: NamespaceId,
    signal: AbortSignal,
  ): Done<{ readonly recoveryCode: string }>;
  /** Opens a namespace by its recovery code, and lets this device in; the code is spent. */
  recover(namespace: NamespaceId, code: Uint8Array, signal: AbortSignal): Done<void>;
}

type Done<T> = Promise<Result<T, AccessError>>;

/** An encrypted namespace that was just made. */
export interface Created {
  readonly info: NamespaceInfo;
  readonly recoveryCode: string;
}

/** A device that has no key yet. */
export interface Waiting {
  readonly keys: DeviceKeys;
  readonly name: string;
  readonly userName: string;
  readonly fingerprint: string;
}

/** How it stands with the keys of a namespace. */
export interface Look {
  readonly epoch: number;
  /** Whether this device has the newest key. */
  readonly hasKey: boolean;
  readonly isAdmin: boolean;
  /** Whether this device was taken out: it comes in again under another name alone. */
  readonly isOut: boolean;
  /** What people compare of this device. */
  readonly fingerprint: string;
  readonly waiting: readonly Waiting[];
}

/** What the server is told that an encrypted namespace is called: nothing. */
const label = "encrypted";
const keyBytes = 32;

/** See {@link Keeper}. */
export function createKeeper(parts: SealedParts, holderOf: HolderOf): Keeper {
  const { sha256, random, self } = parts;
  const recoveryOf = (code: Uint8Array): Holder =>
    recoveryHolder({ sha256, holderOf }, code, self.keys.user);
  const read = (namespace: NamespaceId, signal: AbortSignal): Done<Standing> =>
    standing(parts, namespace, signal);
  return {
    create: async (name, signal) => {
      const isKnown = await parts.api.isKnown(signal);
      if (!isKnown.ok) return fail(accessError(isKnown.error));
      if (!isKnown.value) return fail(tooOld);
      const code = random.bytes(recoveryBytes);
      const made = await create(parts, { name, recovery: recoveryOf(code) }, signal);
      if (!made.ok) return made;
      return ok({ info: made.value, recoveryCode: recoveryCode(sha256, code) });
    },
    look: async (namespace, signal) => {
      parts.asked.note(namespace);
      const now = await read(namespace, signal);
      return now.ok ? ok(await lookAt(parts, now.value)) : now;
    },
    admit: async (namespace, { keys }, signal) => {
      const now = await read(namespace, signal);
      if (!now.ok) return now;
      const { held } = now.value;
      if (held === undefined) return fail(noKey);
      const said: Said = { kind: "admit", keys: plain(keys), role: roleFor(now.value.log, keys) };
      const wraps = await wrapsFor(self, held, keys);
      return await grow(
        parts,
        now.value.log,
        { signer: signerOf(self), said: [said], wraps },
        signal,
      );
    },
    rotate: async (namespace, signal) => {
      const now = await read(namespace, signal);
      if (!now.ok) return now;
      const { held, log } = now.value;
      if (held === undefined) return fail(noKey);
      const begun = await begin(parts, { log, held }, [], signal);
      return begun.ok ? ok({ epoch: begun.value.log.epoch }) : begun;
    },
    renewRecovery: async (namespace, signal) => {
      const now = await read(namespace, signal);
      if (!now.ok) return now;
      const code = random.bytes(recoveryBytes);
      const renewed = await renewRecovery(parts, now.value, recoveryOf(code), signal);
      return renewed.ok ? ok({ recoveryCode: recoveryCode(sha256, code) }) : renewed;
    },
    recover: async (namespace, code, signal) => {
      const recovery = recoveryOf(code);
      const recipient = recovery.keys.device;
      parts.asked.note(namespace);
      const answer = await parts.api.read({ namespace, recipient }, signal);
      if (!answer.ok) return fail(accessError(answer.error));
      return await recover(parts, recovery, { namespace, answer: answer.value }, signal);
    },
  };
}

interface Standing extends Taken {
  readonly answer: KeysAnswer;
}

async function standing(
  parts: SealedParts,
  namespace: NamespaceId,
  signal: AbortSignal,
): Done<Standing> {
  const answer = await parts.api.read({ namespace }, signal);
  if (!answer.ok) return fail(accessError(answer.error));
  const taken = await takeKeys(parts, namespace, answer.value);
  return taken === undefined ? fail(distrusted) : ok({ ...taken, answer: answer.value });
}

async function lookAt(parts: SealedParts, { log, held, answer }: Standing): Promise<Look> {
  const { self, sha256 } = parts;
  const own = log.devices.get(self.keys.device);
  const waiting: Waiting[] = [];
  for (const told of answer.devices) {
    if (log.devices.has(told.id) || told.id === self.keys.device) continue;
    const keys = await statedKeys(told);
    if (keys === undefined) continue;
    const { name, userName } = told;
    waiting.push({ keys, name, userName, fingerprint: fingerprint(sha256, log.namespace, keys) });
  }
  return {
    epoch: log.epoch,
    hasKey: held !== undefined,
    isAdmin: own?.role === "admin" && !own.isRemoved,
    isOut: own?.isRemoved === true,
    fingerprint: fingerprint(sha256, log.namespace, self.keys),
    waiting,
  };
}

async function create(
  parts: SealedParts,
  { name, recovery }: { readonly name: string; readonly recovery: Holder },
  signal: AbortSignal,
): Done<NamespaceInfo> {
  const { self, sha256, random, api } = parts;
  const epochKey: EpochKey = {
    epoch: 1,
    key: random.bytes(keyBytes),
    names: random.bytes(keyBytes),
    name,
  };
  const genesis = await signGenesis(signerOf(self), {
    kind: "genesis",
    keys: plain(self.keys),
    nonce: Buffer.from(random.bytes(16)).toString("hex"),
    commit: commitOf(sha256, epochKey),
  });
  const namespace = encryptedNamespaceId(sha256, genesis);
  const to = { device: self.keys.device, enc: self.keys.enc };
  const wraps = await wrapsForAll(self, epochKey, { namespace, devices: [member(self, to)] });
  const made = await api.create({ name: label, sealed: { genesis, wraps } }, signal);
  if (!made.ok) return fail(accessError(made.error));
  parts.asked.note(namespace);
  const now = await standing(parts, namespace, signal);
  if (!now.ok) return now;
  const held: Opened = {
    keys: { namespace, names: epochKey.names, epochs: new Map([[1, epochKey.key]]) },
    name,
  };
  const grown = await addRecovery(parts, { log: now.value.log, held }, recovery, signal);
  return grown.ok ? ok({ ...made.value, name }) : grown;
}

/** Lets in the device that a recovery code stands for. */
async function addRecovery(
  parts: SealedParts,
  { log, held }: { readonly log: LogState; readonly held: Opened },
  recovery: Holder,
  signal: AbortSignal,
): Done<void> {
  const said: Said = { kind: "admit", keys: plain(recovery.keys), role: "admin" };
  const wraps = await wrapsFor(parts.self, held, recovery.keys);
  return await grow(parts, log, { signer: signerOf(parts.self), said: [said], wraps }, signal);
}

/** Takes the devices out that recovery codes stand for, and lets in that of a new one. */
async function renewRecovery(
  parts: SealedParts,
  { log, held }: Taken,
  recovery: Holder,
  signal: AbortSignal,
): Done<void> {
  if (held === undefined) return fail(noKey);
  const spent = membersOf(log)
    .map(({ device }) => device)
    .filter((device) => isRecovery(device));
  const begun = await begin(parts, { log, held }, spent, signal);
  if (!begun.ok) return begun;
  const { log: next, held: keys } = begun.value;
  if (keys === undefined) return fail(noKey);
  return await addRecovery(parts, { log: next, held: keys }, recovery, signal);
}

/** Takes devices out and begins an epoch. */
async function begin(
  parts: SealedParts,
  known: { readonly log: LogState; readonly held: Opened },
  gone: readonly string[],
  signal: AbortSignal,
): Done<Taken> {
  const { namespace } = known.log;
  const changed = await parts.api.change(namespace, await nextEpoch(parts, known, gone), signal);
  if (!changed.ok) return fail(accessError(changed.error));
  const taken = await takeKeys(parts, namespace, changed.value);
  return taken === undefined ? fail(distrusted) : ok(taken);
}

async function recover(
  parts: SealedParts,
  recovery: Holder,
  { namespace, answer }: { readonly namespace: NamespaceId; readonly answer: KeysAnswer },
  signal: AbortSignal,
): Done<void> {
  const { self } = parts;
  const taken = await takeKeys(parts, namespace, { ...answer, wraps: [] });
  if (taken === undefined) return fail(distrusted);
  const { log } = taken;
  const known = log.devices.get(recovery.keys.device);
  if (known?.sig !== recovery.keys.sig || known.isRemoved) return fail(wrongCode);
  const held = await openWraps(parts, recovery, { log, wraps: answer.wraps });
  if (held === undefined) return fail(wrongCode);
  if (log.devices.has(self.keys.device)) return fail(alreadyIn);
  const said: Said = { kind: "admit", keys: plain(self.keys), role: "admin" };
  const wraps = await wrapsFor(recovery, held, self.keys);
  return await grow(parts, log, { signer: signerOf(recovery), said: [said], wraps }, signal);
}

/** Adds to a log and takes what it is then. */
async function grow(
  parts: SealedParts,
  log: LogState,
  { signer, said, wraps }: { readonly signer: LogSigner; readonly said: readonly Said[]; readonly wraps: readonly KeyWrap[] }, // prettier-ignore
  signal: AbortSignal,
): Done<void> {
  const { namespace, head, length: after } = log;
  const entries = await signEntries(parts.sha256, signer, { head, said });
  const changed = await parts.api.change(namespace, { after, entries, wraps }, signal);
  if (!changed.ok) return fail(accessError(changed.error));
  const taken = await takeKeys(parts, namespace, changed.value);
  return taken === undefined ? fail(distrusted) : ok(undefined);
}

/** A person's own devices come in with that person's right; others' as members, who hand no keys to others. */
function roleFor(log: LogState, { user }: DeviceKeys): "admin" | "member" {
  const isAdmins = [...log.devices.values()].some((one) => one.user === user && one.role === "admin" && !one.isRemoved); // prettier-ignore
  return isAdmins ? "admin" : "member";
}

function signerOf({ keys, sign }: Holder): LogSigner {
  return { device: keys.device, jwk: sign };
}

function plain({ device, user, sig, enc }: DeviceKeys): DeviceKeys {
  return { device, user, sig, enc };
}

function member({ keys }: Holder, { enc }: { readonly enc: string }) {
  return { ...plain(keys), enc, role: "admin", isRemoved: false } as const;
}

const tooOld: AccessError = {
  code: "upgrade-server",
  message: "this server knows no encrypted namespaces",
  hint: "update the server first; a plain one is made by `tidemark namespace create <name>`",
};

const noKey: AccessError = {
  code: "no-key",
  message: "this device has no key of the namespace itself",
  hint: "do it on a device that has; `tidemark namespace admit` there lets this one in",
};

const distrusted: AccessError = {
  code: "distrusted",
  message: "what the server says of the namespace's members is not to be believed",
  hint: "`tidemark status` says why; nothing is sent there meanwhile",
};

const wrongCode: AccessError = {
  code: "wrong-code",
  message: "the recovery code is of another namespace, or has been taken out",
  hint: "look for the code that `tidemark namespace create --encrypted` showed for this one",
};

const alreadyIn: AccessError = {
  code: "already-in",
  message: "this device was let in before",
  hint: "`tidemark sync` fetches its keys; a device that was taken out has to pair anew first",
};
