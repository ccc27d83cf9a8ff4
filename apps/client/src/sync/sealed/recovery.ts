import {
  fail,
  ok,
  recoveryBytes,
  recoveryCode,
  type LogState,
  type NamespaceId,
} from "@tidemark/protocol";
import { accessError, type Done } from "../access/access-error.ts";
import type { DeviceKeys } from "./device-statement.ts";
import { epochKeysOf, openWraps, wrapsFor } from "./handed-keys.ts";
import { isAdmin, whyNoEpoch } from "./letting-in.ts";
import { addEntry, change, readStanding, untilFirst } from "./log-growth.ts";
import { membersOf, nextEpoch } from "./next-epoch.ts";
import type { Holder, SealedParts } from "./own-keys.ts";
import { isRecovery } from "./recovery-holder.ts";
import {
  alreadyIn,
  fullLog,
  keptCode,
  lacksKey,
  lacksNewestKey,
  noRecoveryCode,
  opensInPart,
  opensNothing,
  unsureCode,
  wrongCode,
} from "./refusals.ts";
import { takeKeys, type Taken } from "./taken-keys.ts";

/** What recovery codes need. */
export interface RecoveryParts extends SealedParts {
  /** Whom a code stands for. */
  recoveryOf(code: Uint8Array): Holder;
}

/** A recovery code that is shown once. */
export interface NewCode {
  readonly recoveryCode: string;
}

/**
 * Takes the recovery code out and makes another, under a new epoch (EE16). Only a device that has the
 * newest key does it: else the code that goes could be the last to open that.
 */
export async function renewRecovery(
  parts: RecoveryParts,
  namespace: NamespaceId,
  signal: AbortSignal,
): Done<NewCode> {
  const code = parts.random.bytes(recoveryBytes);
  const made = ok({ recoveryCode: recoveryCode(parts.sha256, code) });
  const joining = parts.recoveryOf(code).keys;
  let isSent = false;
  const renewed = await untilFirst(async () => {
    const now = await readStanding(parts, namespace, signal);
    if (!now.ok) return now;
    const { log, held, anyKeys } = now.value;
    const refusal = whyNoEpoch(log, parts.self);
    if (refusal !== undefined) return fail(refusal);
    if (held === undefined) return fail(anyKeys === undefined ? lacksKey : lacksNewestKey);
    const members = membersOf(log).map(({ device }) => device);
    const gone = members.filter((device) => isRecovery(device));
    const request = await nextEpoch(parts, { log, held }, { gone, joining });
    isSent = true;
    return await change(parts, namespace, request, signal);
  });
  if (renewed.ok) return made;
  if (!isSent) return renewed;
  // The answer may have been lost, and not what was asked for.
  const now = await readStanding(parts, namespace, signal);
  if (!now.ok) return fail(unsureCode(renewed.error, namespace));
  return isIn(now.value.log, joining) ? made : renewed;
}

/**
 * Opens a namespace by its recovery code and lets this device in. The code is spent, and another
 * given; unless keys are still missing here, which the code may open yet (EE16).
 */
export async function recover(
  parts: RecoveryParts,
  { namespace, code }: { readonly namespace: NamespaceId; readonly code: Uint8Array },
  signal: AbortSignal,
): Done<NewCode> {
  parts.asked.note(namespace);
  const recovery = parts.recoveryOf(code);
  const opened = await untilFirst(() => openBy(parts, recovery, namespace, signal));
  if (!opened.ok) return opened;
  const missing = missingHere(opened.value);
  if (missing.length > 0) return fail(opensInPart(namespace, missing));
  const renewed = await renewRecovery(parts, namespace, signal);
  if (renewed.ok) return renewed;
  const isForbidden = renewed.error.code === "forbidden";
  return fail(isForbidden ? keptCode(namespace) : noRecoveryCode(renewed.error));
}

/**
 * Hands this device the keys that a code opens, and lets it in as one that lets others in, unless it
 * is: the code may be all that is left with that right (EE34).
 */
async function openBy(
  parts: SealedParts,
  recovery: Holder,
  namespace: NamespaceId,
  signal: AbortSignal,
): Done<Taken> {
  const { self } = parts;
  const answer = await parts.api.read({ namespace, recipient: recovery.keys.device }, signal);
  if (!answer.ok) return fail(accessError(answer.error));
  const taken = await takeKeys(parts, namespace, { ...answer.value, wraps: [] });
  if (!taken.ok) return taken;
  const { log, anyKeys } = taken.value;
  if (!isIn(log, recovery.keys)) return fail(wrongCode);
  const opened = await openWraps(parts, recovery, { log, wraps: answer.value.wraps });
  // A server that was set back may have lost what the code opens, and a home that paired anew its
  // place in the log, but no key: the two together are enough (EE38).
  const held = opened ?? anyKeys;
  if (held === undefined) return fail(opensNothing);
  if (!isAdmin(log, self)) {
    const wraps = await wrapsFor(recovery, namespace, { keys: epochKeysOf(held), to: [self.keys] });
    const said = { kind: "admit", keys: self.keys, role: "admin" } as const;
    const added = await addEntry(parts, log, { by: recovery, said, wraps }, signal);
    // Where the log has no more room for that, who is in takes the keys all the same.
    if (added.ok || added.error.code !== fullLog.code || !isIn(log, self.keys)) return added;
  }
  const keys = epochKeysOf(held).filter(({ epoch }) => anyKeys?.keys.epochs.has(epoch) !== true);
  if (keys.length === 0) return missingHere(taken.value).length === 0 ? fail(alreadyIn) : taken;
  const wraps = await wrapsFor(recovery, namespace, { keys, to: [self.keys] });
  return await change(parts, namespace, { after: log.length, entries: [], wraps }, signal);
}

function isIn({ devices }: LogState, { device, sig }: DeviceKeys): boolean {
  const known = devices.get(device);
  return known?.sig === sig && !known.isRemoved;
}

/** Epochs of a log whose keys are not here. */
function missingHere({ log, anyKeys }: Taken): readonly number[] {
  return [...log.epochs.keys()].filter((epoch) => anyKeys?.keys.epochs.has(epoch) !== true);
}
