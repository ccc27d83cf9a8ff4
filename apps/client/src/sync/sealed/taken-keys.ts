import type { LogState, NamespaceId } from "@tidemark/protocol";
import type { KeysAnswer, KeyWrap } from "@tidemark/protocol/wire";
import { believedLog } from "./believed-log.ts";
import { openWraps, type Opened } from "./handed-keys.ts";
import { isLetInByMaker } from "./maker-vouch.ts";
import type { SealedParts } from "./own-keys.ts";

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
  const isAsked = await isAskedFor(parts, log, answer);
  const here = store.heldKeys(namespace)?.epochs;
  const isNew = ({ epoch }: KeyWrap): boolean => here?.has(epoch) !== true;
  const wraps = isAsked ? answer.wraps.filter(isNew) : [];
  const opened = await openWraps(parts, self, { log, wraps });
  const { log: entries } = answer;
  store.takeSealing({ namespace, length, head, epoch, name: opened?.name, entries }, opened?.keys);
  return { log, held: heldOf(parts, namespace, epoch) };
}

/** Whether somebody asked for the keys here, or typed in a link that vouches for who lets it in. */
async function isAskedFor(parts: SealedParts, log: LogState, answer: KeysAnswer): Promise<boolean> {
  if (parts.asked.isAsked(log.namespace)) return true;
  if (!(await isLetInByMaker(parts, log, answer))) return false;
  parts.asked.note(log.namespace);
  return true;
}

/** The keys that are in the store, where the newest is among them. */
function heldOf({ store }: SealedParts, namespace: NamespaceId, epoch: number): Opened | undefined {
  const keys = store.heldKeys(namespace);
  const name = store.sealing(namespace)?.name;
  return keys?.epochs.has(epoch) === true && name !== undefined ? { keys, name } : undefined;
}
