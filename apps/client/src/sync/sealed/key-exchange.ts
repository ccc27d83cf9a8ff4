import { isEncryptedId, ok, type LogState, type NamespaceId } from "@tidemark/protocol";
import type { KeysAnswer, KeyWrap } from "@tidemark/protocol/wire";
import { believedLog } from "./believed-log.ts";
import { makeStatement } from "./device-statement.ts";
import { openWraps, type Opened } from "./handed-keys.ts";
import { handMissingKeys } from "./missing-keys.ts";
import { membersOf, nextEpoch } from "./next-epoch.ts";
import type { SealedParts } from "./own-keys.ts";
import { isRecovery } from "./recovery-holder.ts";
import { withLogGivenBack } from "./set-back-log.ts";

/** Keeps this device's keys of encrypted namespaces up with their logs. */
export interface KeyExchange {
  /**
   * Tells the server the key for wraps, unless it has it; gives whether it was told now. A server that
   * does not say whether it has it is told once by each process.
   */
  announce(isKnown: boolean | undefined, signal: AbortSignal): Promise<boolean>;
  /** Reads the log and takes the keys of a namespace; an admin's device shuts out who has left. */
  refresh(namespace: NamespaceId, signal: AbortSignal): Promise<void>;
}

/** Times that a change is tried where others change the log meanwhile. */
export const triesMax = 4;

/** See {@link KeyExchange}. */
export function createKeyExchange(parts: SealedParts): KeyExchange {
  const { api } = parts;
  let isTold = false;
  return {
    announce: async (isKnown, signal) => {
      if (isKnown ?? isTold) return false;
      const { sign, keys } = parts.self;
      const told = await api.announce(await makeStatement(sign, keys), signal);
      isTold ||= told.ok;
      return told.ok;
    },
    refresh: async (namespace, signal) => {
      if (!isEncryptedId(namespace)) return;
      const read = await api.read({ namespace }, signal);
      let answer = read.ok
        ? ok(await withLogGivenBack(parts, namespace, read.value, signal))
        : read;
      for (let count = 0; count < triesMax && answer.ok; count += 1) {
        const taken = await takeKeys(parts, namespace, answer.value);
        const gone = taken === undefined ? undefined : whoLeft(parts, taken.log, answer.value);
        if (taken?.held === undefined) return;
        const known = { log: taken.log, held: taken.held };
        if (gone === undefined) return await handMissingKeys(parts, known, answer.value, signal);
        const request = await nextEpoch(parts, known, { gone });
        answer = await api.change(namespace, request, signal);
        // Where somebody else was first, what they made of it is read; all else is left to the next time.
        if (!answer.ok && answer.error.code !== "conflict") return;
        if (!answer.ok) answer = await api.read({ namespace }, signal);
      }
    },
  };
}

/** What a believed log and its wraps gave. */
export interface Taken {
  readonly log: LogState;
  /** Undefined where this device has no key of the newest epoch. */
  readonly held: Opened | undefined;
}

/** Takes what an answer brings into the store; undefined where its log is not believed. */
export async function takeKeys(
  parts: SealedParts,
  namespace: NamespaceId,
  answer: KeysAnswer,
): Promise<Taken | undefined> {
  const { store, self } = parts;
  const log = await believedLog(parts, namespace, answer.log);
  if (log === undefined) return undefined;
  const { length, head, epoch } = log;
  // A server can make a namespace of its own and let this device in: it takes none unasked (EE17).
  const here = store.heldKeys(namespace)?.epochs;
  const isNew = ({ epoch }: KeyWrap): boolean => here?.has(epoch) !== true;
  const wraps = parts.asked.isAsked(namespace) ? answer.wraps.filter(isNew) : [];
  const opened = await openWraps(parts, self, { log, wraps });
  const { log: entries } = answer;
  store.takeSealing({ namespace, length, head, epoch, name: opened?.name, entries }, opened?.keys);
  return { log, held: heldOf(parts, namespace, epoch) };
}

/** The keys that are in the store, where the newest is among them. */
function heldOf({ store }: SealedParts, namespace: NamespaceId, epoch: number): Opened | undefined {
  const keys = store.heldKeys(namespace);
  const name = store.sealing(namespace)?.name;
  return keys?.epochs.has(epoch) === true && name !== undefined ? { keys, name } : undefined;
}

/**
 * Devices that a log has in and that the server names no more, because they or their persons were shut
 * out; undefined where nothing is to be done, or it is not for this device to do.
 */
function whoLeft(
  { self }: SealedParts,
  log: LogState,
  { devices, present }: KeysAnswer,
): readonly string[] | undefined {
  const own = log.devices.get(self.keys.device);
  if (own?.role !== "admin" || own.isRemoved) return undefined;
  const named = new Set(present ?? devices.map(({ id }) => id));
  // Without this device among them the answer says nothing of who is there.
  if (!named.has(self.keys.device)) return undefined;
  const gone = membersOf(log)
    .map(({ device }) => device)
    .filter((device) => !named.has(device) && !isRecovery(device));
  return gone.length > 0 || log.isRotationDue ? gone : undefined;
}
