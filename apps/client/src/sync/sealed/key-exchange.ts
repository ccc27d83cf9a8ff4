import { isEncryptedId, type LogState, type NamespaceId } from "@tidemark/protocol";
import type { KeysAnswer } from "@tidemark/protocol/wire";
import type { Answer, Failure } from "../transport.ts";
import { makeStatement } from "./device-statement.ts";
import { learnWhoJoined, letInVouched } from "./joined-by-link.ts";
import type { OpenLog } from "./letting-in.ts";
import type { KeptLink } from "./link-book.ts";
import { triesMax } from "./log-growth.ts";
import { makerVouches, untoldLinks } from "./maker-vouch.ts";
import { handMissingKeys } from "./missing-keys.ts";
import { membersOf, nextEpoch } from "./next-epoch.ts";
import type { SealedParts } from "./own-keys.ts";
import { isRecovery } from "./recovery-holder.ts";
import { isBehind, readKeys } from "./set-back-log.ts";
import { takeKeys } from "./taken-keys.ts";

/** Keeps this device's keys of encrypted namespaces up with their logs. */
export interface KeyExchange {
  /**
   * Tells the server the key for wraps, unless it has it; gives whether it was told now. A server that
   * does not say whether it has it is told once by each process.
   */
  announce(isKnown: boolean | undefined, signal: AbortSignal): Promise<boolean>;
  /** Learns who came in by links of this device (EE21). */
  followLinks(signal: AbortSignal): Promise<void>;
  /** Whether a device that was just paired is waited for, here or there; asks no store. */
  isExpecting(): boolean;
  /** Whether another process has kept a link since this was asked last. */
  takeNewLink(): boolean;
  /**
   * Reads the log and takes the keys of a namespace; an admin's device shuts out who has left. Gives
   * why the log could not be read, where it could not.
   */
  refresh(namespace: NamespaceId, signal: AbortSignal): Promise<Failure | undefined>;
}

/** See {@link KeyExchange}. */
export function createKeyExchange(parts: SealedParts): KeyExchange {
  const { api } = parts;
  let isTold = false;
  /** Namespaces whose newest key is not here. */
  const lacking = new Set<NamespaceId>();
  let soon: readonly KeptLink[] = [];
  let seen: ReadonlySet<string> | undefined;
  return {
    announce: async (isKnown, signal) => {
      const untold = untoldLinks(parts);
      if ((isKnown ?? isTold) && untold.length === 0) return false;
      const { sign, keys } = parts.self;
      const statement = await makeStatement(sign, keys, makerVouches(parts, keys));
      const told = await api.announce(statement, signal);
      isTold ||= told.ok;
      if (told.ok) for (const { id } of untold) parts.links.change(id, { isTold: true });
      return told.ok;
    },
    followLinks: async (signal) => {
      await learnWhoJoined(parts, signal);
      const nowMs = parts.links.nowMs();
      soon = parts.links.links().filter(({ soonUntilMs }) => soonUntilMs > nowMs);
    },
    takeNewLink: () => {
      const before = seen;
      seen = new Set(parts.links.links().map(({ id }) => id));
      return before !== undefined && [...seen].some((id) => !before.has(id));
    },
    isExpecting: () => soon.some(({ side }) => side === "made" || lacking.size > 0),
    refresh: async (namespace, signal) => {
      if (!isEncryptedId(namespace)) return undefined;
      const read = await readKeys(parts, namespace, signal);
      if (!read.ok) return read.error;
      if (await followLog(parts, namespace, read.value, signal)) lacking.delete(namespace);
      else lacking.add(namespace);
      return undefined;
    },
  };
}

/** Takes what a log says, and says what it lacks; gives whether the newest key is here. */
async function followLog(
  parts: SealedParts,
  namespace: NamespaceId,
  first: KeysAnswer,
  signal: AbortSignal,
): Promise<boolean> {
  let answer = first;
  for (let count = 0; count < triesMax; count += 1) {
    const taken = await takeKeys(parts, namespace, answer);
    if (!taken.ok || taken.value.held === undefined) return false;
    const { log, held } = taken.value;
    const known = { log, held };
    const gone = whoLeft(parts, log, answer);
    if (gone === undefined) return await provide(parts, known, answer, signal);
    const request = await nextEpoch(parts, known, { gone });
    const changed = await parts.api.change(namespace, request, signal);
    if (isRefused(changed)) return await provide(parts, known, answer, signal);
    // Where somebody else was first, what they made of it is read; all else is left to the next time.
    if (!changed.ok && changed.error.code !== "conflict") return true;
    const isOlder = changed.ok && isBehind(parts, namespace, changed.value);
    const next = changed.ok && !isOlder ? changed : await readKeys(parts, namespace, signal);
    if (!next.ok) return true;
    answer = next.value;
  }
  return true;
}

/**
 * Whether a server takes no epoch here, however often it is asked: its roles and the log's differ, or
 * the log is full. Whoever else waits for this device has no part in that (EE32).
 */
function isRefused(changed: Answer<unknown>): boolean {
  return !changed.ok && ["forbidden", "too-large"].includes(changed.error.code);
}

/** Lets in whom a link vouches for, and hands out what the server lacks. */
async function provide(
  parts: SealedParts,
  known: OpenLog,
  answer: KeysAnswer,
  signal: AbortSignal,
): Promise<true> {
  const now = await letInVouched(parts, known, answer, signal);
  await handMissingKeys(parts, { ...now, answer }, signal);
  return true;
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
