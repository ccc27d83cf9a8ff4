import { isEncryptedId, ok, type LogState, type NamespaceId } from "@tidemark/protocol";
import type { KeysAnswer } from "@tidemark/protocol/wire";
import { makeStatement } from "./device-statement.ts";
import { learnWhoJoined, letInVouched } from "./joined-by-link.ts";
import type { KeptLink } from "./link-book.ts";
import { triesMax } from "./log-growth.ts";
import { makerVouches, untoldLinks } from "./maker-vouch.ts";
import { handMissingKeys } from "./missing-keys.ts";
import { membersOf, nextEpoch } from "./next-epoch.ts";
import type { SealedParts } from "./own-keys.ts";
import { isRecovery } from "./recovery-holder.ts";
import { withLogGivenBack } from "./set-back-log.ts";
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
  /** Reads the log and takes the keys of a namespace; an admin's device shuts out who has left. */
  refresh(namespace: NamespaceId, signal: AbortSignal): Promise<void>;
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
      if (!isEncryptedId(namespace)) return;
      const read = await api.read({ namespace }, signal);
      let answer = read.ok
        ? ok(await withLogGivenBack(parts, namespace, read.value, signal))
        : read;
      for (let count = 0; count < triesMax && answer.ok; count += 1) {
        const taken = await takeKeys(parts, namespace, answer.value);
        const gone = taken === undefined ? undefined : whoLeft(parts, taken.log, answer.value);
        if (taken?.held === undefined) return void lacking.add(namespace);
        lacking.delete(namespace);
        const known = { log: taken.log, held: taken.held };
        if (gone === undefined) {
          const now = await letInVouched(parts, known, answer.value, signal);
          return await handMissingKeys(parts, now, answer.value, signal);
        }
        const request = await nextEpoch(parts, known, { gone });
        answer = await api.change(namespace, request, signal);
        // Where somebody else was first, what they made of it is read; all else is left to the next time.
        if (!answer.ok && answer.error.code !== "conflict") return;
        if (!answer.ok) answer = await api.read({ namespace }, signal);
      }
    },
  };
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
