import { fail, ok, type LogState, type NamespaceId, type NamespaceKeys } from "@tidemark/protocol";
import type { KeysAnswer, KeyWrap } from "@tidemark/protocol/wire";
import type { Done } from "../access/access-error.ts";
import { believedLog } from "./believed-log.ts";
import { openWraps, type Opened } from "./handed-keys.ts";
import { isLetInByMaker } from "./maker-vouch.ts";
import { withOwnEpochs } from "./own-epochs.ts";
import type { SealedParts } from "./own-keys.ts";
import { distrusted, overtaken } from "./refusals.ts";

/** What a believed log and its wraps gave. */
export interface Taken {
  readonly log: LogState;
  /** Keys that are here, of whatever epochs. */
  readonly anyKeys: Opened | undefined;
  /** The same where the newest epoch's is among them. */
  readonly held: Opened | undefined;
}

/**
 * Takes what an answer brings into the store; fails where its log is not believed, and where another
 * process of this device has read on since.
 */
export async function takeKeys(
  parts: SealedParts,
  namespace: NamespaceId,
  answer: KeysAnswer,
): Done<Taken> {
  const { store, self } = parts;
  const log = await believedLog(parts, namespace, answer.log);
  if (log === undefined) return fail(distrusted);
  const { length, head, epoch } = log;
  // A server can make a namespace of its own and let this device in: it takes none unasked (EE17).
  const isAsked = await isAskedFor(parts, log, answer);
  const here = store.heldKeys(namespace);
  const isNew = ({ epoch }: KeyWrap): boolean => here?.epochs.has(epoch) !== true;
  const wraps = isAsked ? answer.wraps.filter(isNew) : [];
  const opened = await openWraps(parts, self, { log, wraps });
  const all = isAsked ? allKeys(parts, log, [here, opened?.keys]) : undefined;
  const keys = all?.epochs.size === here?.epochs.size ? undefined : all;
  const { log: entries } = answer;
  const sealing = { namespace, length, head, epoch, name: opened?.name, entries };
  if (!store.takeSealing(sealing, keys)) return fail(overtaken);
  const anyKeys = keysHere(parts, namespace);
  const held = anyKeys?.keys.epochs.has(epoch) === true ? anyKeys : undefined;
  return ok({ log, anyKeys, held });
}

/** What is known of a namespace's keys, with what follows from that. */
function allKeys(
  parts: SealedParts,
  log: LogState,
  known: readonly (NamespaceKeys | undefined)[],
): NamespaceKeys | undefined {
  const [first, ...others] = known.filter((keys) => keys !== undefined);
  if (first === undefined) return undefined;
  const epochs = new Map([first, ...others].flatMap(({ epochs: each }) => [...each]));
  return withOwnEpochs(parts, log, { ...first, epochs });
}

/** Whether somebody asked for the keys here, or typed in a link that vouches for who lets it in. */
async function isAskedFor(parts: SealedParts, log: LogState, answer: KeysAnswer): Promise<boolean> {
  if (parts.asked.isAsked(log.namespace)) return true;
  if (!(await isLetInByMaker(parts, log, answer))) return false;
  parts.asked.note(log.namespace);
  return true;
}

/** The keys that are in the store, of whatever epochs. */
function keysHere({ store }: SealedParts, namespace: NamespaceId): Opened | undefined {
  const keys = store.heldKeys(namespace);
  const name = store.sealing(namespace)?.name;
  return keys !== undefined && name !== undefined ? { keys, name } : undefined;
}
