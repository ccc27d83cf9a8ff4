import {
  fail,
  ok,
  recoveryBytes,
  recoveryCode,
  type LogDevice,
  type LogRole,
  type LogState,
  type NamespaceId,
} from "@tidemark/protocol";
import type { NamespaceInfo } from "@tidemark/protocol/wire";
import { accessError, type Done } from "../access/access-error.ts";
import { fingerprint, statedKeys, type DeviceKeys } from "./device-statement.ts";
import { foundNamespace } from "./founding.ts";
import { entitle, type Entitled, type Entitlement } from "./entitling.ts";
import { isAdmin, letIn, peopleOf, roleFor, whyNoEpoch } from "./letting-in.ts";
import { change, readStanding, untilFirst, type Standing } from "./log-growth.ts";
import { membersOf, nextEpoch } from "./next-epoch.ts";
import type { Holder, SealedParts } from "./own-keys.ts";
import { isRecovery, recoveryHolder, type HolderOf } from "./recovery-holder.ts";
import { recover, renewRecovery, type NewCode } from "./recovery.ts";
import { lacksKey, needsAdminsWord, noKey, notIn, tooOld } from "./refusals.ts";

/** What people do with the keys of encrypted namespaces. Every call ends when its signal aborts. */
export interface Keeper {
  /** Makes one, with a recovery code that is shown once (EE16). */
  create(name: string, signal: AbortSignal): Done<Created>;
  /** Asks for the key here; says who waits to be let in. */
  look(namespace: NamespaceId, signal: AbortSignal): Done<Look>;
  /** Lets a device in whose fingerprint a person has compared, and hands it the keys (EE14). */
  admit(namespace: NamespaceId, waiting: Waiting, signal: AbortSignal): Done<void>;
  /**
   * Begins an epoch: what is written from now on, nobody who had only earlier keys can read. Any key
   * of an admin's device will do for it: so a namespace whose newest one is lost goes on (EE24).
   */
  rotate(namespace: NamespaceId, signal: AbortSignal): Done<{ readonly epoch: number }>;
  /**
   * Takes devices out under a new epoch, whatever the server says of them (EE19); gives how many.
   * Only an admin's device can: any other leaves it to those, and gives 0.
   */
  shutOut(
    namespace: NamespaceId,
    isMeant: (device: LogDevice) => boolean,
    signal: AbortSignal,
  ): Done<number>;
  /** Whose devices are in, and whether they may let others in. */
  people(namespace: NamespaceId, signal: AbortSignal): Done<ReadonlyMap<string, LogRole>>;
  /** See {@link entitle}. */
  entitle(namespace: NamespaceId, whom: Entitlement, signal: AbortSignal): Done<Entitled>;
  /** See {@link renewRecovery}. */
  renewRecovery(namespace: NamespaceId, signal: AbortSignal): Done<NewCode>;
  /** See {@link recover}. */
  recover(namespace: NamespaceId, code: Uint8Array, signal: AbortSignal): Done<NewCode>;
}

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
  /** Of this device's own person. */
  readonly isOwn: boolean;
  /** Whether it will let others in and shut them out, as its person's devices do. */
  readonly isAdmin: boolean;
  /** It was in before, and somebody took it out. */
  readonly wasOut: boolean;
  readonly fingerprint: string;
}

/** How it stands with the keys of a namespace. */
export interface Look {
  /** Whether this device has the newest key. */
  readonly hasKey: boolean;
  /** Whether this device is in: without the newest key, that comes by itself from who has it. */
  readonly isIn: boolean;
  /** Whether this device is an admin's, which begins epochs. */
  readonly isAdmin: boolean;
  /** Whether this device was taken out, and has not been let in again. */
  readonly isOut: boolean;
  /** What people compare of this device. */
  readonly fingerprint: string;
  readonly waiting: readonly Waiting[];
}

/** See {@link Keeper}. */
export function createKeeper(parts: SealedParts, holderOf: HolderOf): Keeper {
  const { sha256, random } = parts;
  const recoveryOf = (code: Uint8Array): Holder =>
    recoveryHolder({ sha256, holderOf }, code, parts.self.keys.user);
  const recoveryParts = { ...parts, recoveryOf };
  return {
    create: async (name, signal) => {
      const isKnown = await parts.api.isKnown(signal);
      if (!isKnown.ok) return fail(accessError(isKnown.error));
      if (!isKnown.value) return fail(tooOld);
      const code = random.bytes(recoveryBytes);
      const made = await foundNamespace(parts, { name, recovery: recoveryOf(code) }, signal);
      if (!made.ok) return made;
      return ok({ info: made.value, recoveryCode: recoveryCode(sha256, code) });
    },
    look: async (namespace, signal) => {
      parts.asked.note(namespace);
      const now = await untilFirst(() => readStanding(parts, namespace, signal));
      return now.ok ? ok(await lookAt(parts, now.value)) : now;
    },
    admit: (namespace, { keys }, signal) =>
      untilFirst(() => admit(parts, { namespace, keys }, signal)),
    rotate: (namespace, signal) => untilFirst(() => rotate(parts, namespace, signal)),
    shutOut: (namespace, isMeant, signal) =>
      untilFirst(() => shutOut(parts, namespace, isMeant, signal)),
    people: async (namespace, signal) => {
      const now = await untilFirst(() => readStanding(parts, namespace, signal));
      return now.ok ? ok(peopleOf(now.value.log)) : now;
    },
    entitle: (namespace, whom, signal) => untilFirst(() => entitle(parts, namespace, whom, signal)),
    renewRecovery: (namespace, signal) => renewRecovery(recoveryParts, namespace, signal),
    recover: (namespace, code, signal) => recover(recoveryParts, { namespace, code }, signal),
  };
}

async function lookAt(parts: SealedParts, { log, held, answer }: Standing): Promise<Look> {
  const { self, sha256 } = parts;
  const waiting: Waiting[] = [];
  for (const told of answer.devices) {
    // What begins like a recovery code's device would never be taken out by itself.
    if (told.id === self.keys.device || isRecovery(told.id)) continue;
    const keys = await statedKeys(told);
    if (keys === undefined || !mayComeIn(parts, log, keys)) continue;
    const { name, userName } = told;
    const isOwn = keys.user === self.keys.user;
    const shown = fingerprint(sha256, log.namespace, keys);
    const wasOut = log.devices.has(told.id);
    const mayLetIn = roleFor(log, self, keys.user) === "admin";
    waiting.push({ keys, name, userName, isOwn, isAdmin: mayLetIn, wasOut, fingerprint: shown });
  }
  const own = log.devices.get(self.keys.device);
  return {
    hasKey: held !== undefined,
    isIn: own?.isRemoved === false,
    isAdmin: isAdmin(log, self),
    isOut: own?.isRemoved === true,
    fingerprint: fingerprint(sha256, log.namespace, self.keys),
    waiting,
  };
}

/** Whether a device is not in, or was taken out and this one may let it in again: an admin's alone. */
function mayComeIn({ self }: SealedParts, log: LogState, keys: DeviceKeys): boolean {
  const known = log.devices.get(keys.device);
  if (known === undefined) return true;
  return known.isRemoved && isSameDevice(known, keys) && isAdmin(log, self);
}

function isSameDevice(known: LogDevice, { sig, enc, user }: DeviceKeys): boolean {
  return known.sig === sig && known.enc === enc && known.user === user;
}

/** Whether a device is in, with these very keys. */
function isIn(log: LogState, keys: DeviceKeys): boolean {
  const known = log.devices.get(keys.device);
  return known !== undefined && !known.isRemoved && isSameDevice(known, keys);
}

async function admit(
  parts: SealedParts,
  { namespace, keys }: { readonly namespace: NamespaceId; readonly keys: DeviceKeys },
  signal: AbortSignal,
): Done<void> {
  const now = await readStanding(parts, namespace, signal);
  if (!now.ok) return now;
  const { log, held } = now.value;
  // Another device let it in while somebody compared fingerprints here.
  if (isIn(log, keys)) return ok(undefined);
  if (held === undefined) return fail(noKey);
  if (!isIn(log, parts.self.keys)) return fail(notIn);
  const isOwn = keys.user === parts.self.keys.user;
  if (!isOwn && !isAdmin(log, parts.self)) return fail(needsAdminsWord);
  const added = await letIn(parts, { log, held }, keys, signal);
  return added.ok ? ok(undefined) : added;
}

async function shutOut(
  parts: SealedParts,
  namespace: NamespaceId,
  isMeant: (device: LogDevice) => boolean,
  signal: AbortSignal,
): Done<number> {
  const { self } = parts;
  const now = await readStanding(parts, namespace, signal);
  if (!now.ok) return now;
  const { log, held, anyKeys } = now.value;
  const gone = membersOf(log)
    .filter((one) => isMeant(one) && one.device !== self.keys.device)
    // A recovery code may be the last to open a newest key that is not here (EE33).
    .filter(({ device }) => held !== undefined || !isRecovery(device))
    .map(({ device }) => device);
  if (gone.length === 0 || !isAdmin(log, self)) return ok(0);
  if (anyKeys === undefined) return fail(lacksKey);
  const request = await nextEpoch(parts, { log, held: anyKeys }, { gone });
  const changed = await change(parts, namespace, request, signal);
  return changed.ok ? ok(gone.length) : changed;
}

async function rotate(
  parts: SealedParts,
  namespace: NamespaceId,
  signal: AbortSignal,
): Done<{ readonly epoch: number }> {
  const now = await readStanding(parts, namespace, signal);
  if (!now.ok) return now;
  const { log, anyKeys } = now.value;
  const refusal = whyNoEpoch(log, parts.self);
  if (refusal !== undefined) return fail(refusal);
  // Where nobody has the newest key any more, an earlier one has to do (EE24).
  if (anyKeys === undefined) return fail(lacksKey);
  const request = await nextEpoch(parts, { log, held: anyKeys });
  const changed = await change(parts, namespace, request, signal);
  return changed.ok ? ok({ epoch: changed.value.log.epoch }) : changed;
}
