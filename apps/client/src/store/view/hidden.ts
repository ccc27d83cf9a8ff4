import { collections, type LiveRecord, type RecordId } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { createAuthors } from "../reads/authors.ts";
import { readSuspects } from "../records/suspects.ts";
import type { SuspectRow } from "../rows.ts";

/** Whether a record stands in quarantine; `seq` is where the server has it, null where nowhere yet. */
export type Hides = (record: LiveRecord, seq: number | null) => boolean;

/**
 * What hides records of a namespace (QU5). Undefined where no device is under suspicion, which costs
 * one look at an empty table: ask once for many records.
 */
export function hidesIn(context: StoreContext, namespace: string): Hides | undefined {
  if (readSuspects(context, namespace).length === 0) return undefined;
  const authors = createAuthors(context);
  return (record, seq) => authors.trust(namespace, record, seq) === 0;
}

/**
 * Observations in which devices, or writers that nobody knows, may have a word: those that were
 * edited, and those whose author is not known to be another device.
 */
export function wordsOf(
  context: StoreContext,
  namespace: string,
  devices: readonly Pick<SuspectRow, "device" | "above">[],
): readonly RecordId[] {
  const others = context.db.all<{ writer: string }>(
    `SELECT writer FROM writers WHERE namespace = ?
       AND (own = 1 OR device IS NOT NULL)
       AND coalesce(device, ?) NOT IN (SELECT value FROM json_each(?))`,
    namespace,
    context.identity()?.device.id ?? "",
    JSON.stringify(devices.map(({ device }) => device)),
  );
  return context.db
    .all<{ id: RecordId }>(
      `SELECT id FROM records
       WHERE namespace = ?1 AND collection = ?2 AND forgotten = 0 AND (seq IS NULL OR seq > ?3)
         AND (clocks IS NOT NULL OR writer NOT IN (SELECT value FROM json_each(?4)))
       UNION
       SELECT record FROM outbox WHERE namespace = ?1 AND collection = ?2`,
      namespace,
      collections.observation,
      Math.min(...devices.map(({ above }) => above)),
      JSON.stringify(others.map(({ writer }) => writer)),
    )
    .map(({ id }) => id);
}
