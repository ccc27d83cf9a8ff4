import { ok, readLog, type LogState, type NamespaceId } from "@tidemark/protocol";
import type { KeysAnswer, KeyWrap } from "@tidemark/protocol/wire";
import type { Answer } from "../transport.ts";
import { epochKeysOf, wrapsFor } from "./handed-keys.ts";
import { logDeps } from "./log-entries.ts";
import { membersOf } from "./next-epoch.ts";
import type { SealedParts } from "./own-keys.ts";

/** What a server says of a namespace's log and keys, once it has what this device has seen of them. */
export async function readKeys(
  parts: SealedParts,
  namespace: NamespaceId,
  signal: AbortSignal,
): Promise<Answer<KeysAnswer>> {
  const read = await parts.api.read({ namespace }, signal);
  return read.ok ? await withLogGivenBack(parts, namespace, read.value, signal) : read;
}

/** Whether this device has seen more of a log: of before the server was set back, or since it was asked. */
export function isBehind(
  { store }: Pick<SealedParts, "store">,
  namespace: NamespaceId,
  { log }: Pick<KeysAnswer, "log">,
): boolean {
  return log.length < (store.sealing(namespace)?.length ?? 0);
}

/**
 * A server that was set back to a backup has lost the last entries of a log, and everybody who saw
 * them would believe it no more. Whoever has them gives them back, with the keys that it may hand
 * on, and gets what the server says then (EE20); fails where it says nothing any more (EE35). Nothing
 * is given back to one that tells another log: there somebody said something else in the meantime,
 * which only people can settle.
 */
async function withLogGivenBack(
  parts: SealedParts,
  namespace: NamespaceId,
  answer: KeysAnswer,
  signal: AbortSignal,
): Promise<Answer<KeysAnswer>> {
  const { api, store, sha256 } = parts;
  if (!isBehind(parts, namespace, answer)) return ok(answer);
  const seen = store.seenLog(namespace);
  if (!isBeginningOf(answer.log, seen)) return ok(answer);
  const log = await readLog(logDeps(sha256), seen, { namespace });
  if ("why" in log) return ok(answer);
  const after = answer.log.length;
  const lost = { after, entries: seen.slice(after), wraps: await wrapsOf(parts, log) };
  const given = await api.change(namespace, lost, signal);
  // By the server's word of before this device's person is no admin: the entries alone go back.
  const isRefused = !given.ok && given.error.code === "forbidden";
  if (isRefused) await api.change(namespace, { ...lost, wraps: [] }, signal);
  return await api.read({ namespace }, signal);
}

function isBeginningOf(log: readonly string[], seen: readonly string[]): boolean {
  return log.length < seen.length && log.every((entry, at) => entry === seen[at]);
}

/** The keys that are here, for whom this device may hand them to. */
async function wrapsOf({ self, store }: SealedParts, log: LogState): Promise<readonly KeyWrap[]> {
  const { namespace } = log;
  const keys = store.heldKeys(namespace);
  const name = store.sealing(namespace)?.name;
  const own = log.devices.get(self.keys.device);
  if (keys === undefined || name === undefined || own === undefined || own.isRemoved) return [];
  const isAdmin = own.role === "admin";
  const to = membersOf(log).filter(({ user }) => isAdmin || user === own.user);
  return await wrapsFor(self, namespace, { keys: epochKeysOf({ keys, name }), to });
}
