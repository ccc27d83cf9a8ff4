import {
  expandState,
  isTombstone,
  recordDigest,
  storedRecord,
  sumDigests,
  tombstone,
  type CompactClock,
  type Digest,
  type JsonObject,
  type LiveRecord,
  type RecordId,
  type RecordState,
  type SetDigest,
  type Tombstone,
  type WriterId,
} from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import type { RecordRow, ReplicaRow } from "../rows.ts";
import { erasePast } from "./past.ts";

/** A confirmed record: what the server has said, or in `local` what was changed. */
export interface Confirmed {
  readonly state: RecordState;
  readonly seq: number | null;
  readonly digest: Digest;
}

const columns =
  "namespace, id, collection, parent, seq, lamport, writer, at, fields, clocks, forgotten, digest";

/** A namespace's confirmed record. */
export function readConfirmed(
  context: StoreContext,
  namespace: string,
  id: string,
): Confirmed | undefined {
  const row = context.db.get<RecordRow>(
    `SELECT ${columns} FROM records WHERE namespace = ? AND id = ?`,
    namespace,
    id,
  );
  return row === undefined ? undefined : confirmedOf(row);
}

/** Confirmed records by id, read at once; what is not there is left out. */
export function readConfirmedMany(
  context: StoreContext,
  namespace: string,
  ids: readonly string[],
): Map<string, Confirmed> {
  const held = new Map<string, Confirmed>();
  for (const [id, row] of readConfirmedRows(context, namespace, ids))
    held.set(id, confirmedOf(row));
  return held;
}

/** As {@link readConfirmedMany}, the rows as they are stored. */
export function readConfirmedRows(
  context: StoreContext,
  namespace: string,
  ids: readonly string[],
): ReadonlyMap<string, RecordRow> {
  const rows = context.db.all<RecordRow>(
    `SELECT ${columns} FROM records
     WHERE namespace = ? AND id IN (SELECT value FROM json_each(?))`,
    namespace,
    JSON.stringify(ids),
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** What can be read of a confirmed record without its fields, which may be large. */
export type ConfirmedHead = Pick<RecordRow, "collection" | "parent" | "forgotten">;

/** A confirmed record's head: what lies behind its fields costs nothing where it is 0, 1 or NULL. */
export function readConfirmedHead(
  context: StoreContext,
  namespace: string,
  id: string,
): ConfirmedHead | undefined {
  return context.db.get<ConfirmedHead>(
    "SELECT collection, parent, forgotten FROM records WHERE namespace = ? AND id = ?",
    namespace,
    id,
  );
}

/** How many bytes of fields a confirmed record has; SQLite tells it without reading them. */
export function confirmedBytes(context: StoreContext, namespace: string, id: string): number {
  const row = context.db.get<{ bytes: number }>(
    "SELECT octet_length(fields) AS bytes FROM records WHERE namespace = ? AND id = ?",
    namespace,
    id,
  );
  return row?.bytes ?? 0;
}

/** Ids of the confirmed children of a record. */
export function confirmedChildren(
  context: StoreContext,
  namespace: string,
  parent: string,
): readonly RecordId[] {
  // By `id` alone the planner reads the whole namespace in that order, and leaves the index alone.
  return context.db
    .all<{ id: RecordId }>(
      "SELECT id FROM records WHERE namespace = ? AND parent = ? ORDER BY +id",
      namespace,
      parent,
    )
    .map(({ id }) => id);
}

/**
 * Stores a confirmed state and keeps digest, count and lamport of the replica with it (DG2); the
 * caller saves the replica in the same transaction. A tombstone erases what is known of the record.
 */
export function saveConfirmed(
  context: StoreContext,
  replica: ReplicaRow,
  confirmed: { readonly state: RecordState; readonly seq: number | null },
): void {
  const before = context.db.get<{ digest: Digest }>(
    "SELECT digest FROM records WHERE namespace = ? AND id = ?",
    replica.namespace,
    confirmed.state.id,
  )?.digest;
  const made = makeRow(context, replica.namespace, confirmed);
  replaceConfirmed(context, replica, [{ made, before }]);
}

/** A row to store, and the highest lamport in it. */
export interface RowMade {
  readonly row: RecordRow;
  readonly lamport: number;
}

/** Makes the row of a confirmed state; nothing is stored. */
export function makeRow(
  context: StoreContext,
  namespace: string,
  { state, seq }: { readonly state: RecordState; readonly seq: number | null },
): RowMade {
  return isTombstone(state)
    ? tombstoneRow(context, namespace, state, seq)
    : recordRow(context, namespace, state, seq);
}

/** A row to store, and the digest of what is stored of its record. */
export interface Replacement {
  readonly made: RowMade;
  readonly before: Digest | undefined;
}

/** As {@link saveConfirmed}, for many rows that are made, in their order. */
export function replaceConfirmed(
  context: StoreContext,
  replica: ReplicaRow,
  replacements: readonly Replacement[],
): void {
  const set = setAfter(replica, replacements);
  replica.digest = set.digest;
  replica.count = set.count;
  for (const { made } of replacements) {
    const { row, lamport } = made;
    insertRecord(context, row);
    replica.lamport = Math.max(replica.lamport, lamport);
    if (row.forgotten === 1) erasePast(context, replica.namespace, row.id);
  }
}

/** What a replica's set would be with these rows in place. */
export function setAfter(
  { digest, count }: Pick<ReplicaRow, "digest" | "count">,
  replacements: readonly Replacement[],
): SetDigest {
  const digests = [digest];
  let added = 0;
  for (const { made, before } of replacements) {
    digests.push(made.row.digest);
    if (before === undefined) added += 1;
    else digests.push(before);
  }
  return { digest: sumDigests(digests), count: count + added };
}

/** The highest lamport in the confirmed records of a namespace. Reads all of them. */
export function highestConfirmedLamport(context: StoreContext, namespace: string): number {
  const row = context.db.get<{ lamport: number | null }>(
    `SELECT max(lamport) AS lamport FROM (
       SELECT lamport FROM records WHERE namespace = ?1
       UNION ALL
       SELECT clock.value ->> 0 FROM records, json_each(records.clocks) AS clock
       WHERE namespace = ?1 AND clocks IS NOT NULL)`,
    namespace,
  );
  return row?.lamport ?? 0;
}

function recordRow(
  { sha256 }: StoreContext,
  namespace: string,
  state: LiveRecord,
  seq: number | null,
): RowMade {
  const { lamport, writer, at, fields, clocks, digest, lamportMax } = storedRecord(sha256, state);
  const { id, collection, parent = null } = state;
  const stamp = { lamport, writer, at };
  const row = {
    namespace,
    id,
    collection,
    parent,
    seq,
    ...stamp,
    fields,
    clocks,
    forgotten: 0,
    digest,
  };
  return { row, lamport: lamportMax };
}

function tombstoneRow(
  { sha256 }: StoreContext,
  namespace: string,
  state: Tombstone,
  seq: number | null,
): RowMade {
  const { id, collection } = state;
  const digest = recordDigest(sha256, state);
  const nothing = { parent: null, lamport: 0, writer: "", at: 0, fields: "{}", clocks: null };
  return { row: { namespace, id, collection, seq, ...nothing, forgotten: 1, digest }, lamport: 0 };
}

// Made once: a text that is put together at each call is looked up much slower.
const insertSql = `INSERT OR REPLACE INTO records (${columns})
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

function insertRecord(context: StoreContext, row: RecordRow): void {
  context.db.run(
    insertSql,
    row.namespace,
    row.id,
    row.collection,
    row.parent,
    row.seq,
    row.lamport,
    row.writer,
    row.at,
    row.fields,
    row.clocks,
    row.forgotten,
    row.digest,
  );
}

/** Reads a row of `records`. */
export function confirmedOf(row: RecordRow): Confirmed {
  return { state: stateOf(row), seq: row.seq, digest: row.digest };
}

function stateOf(row: RecordRow): RecordState {
  const id = row.id as RecordId;
  if (row.forgotten === 1) return tombstone(id, row.collection);
  return expandState({
    id,
    collection: row.collection,
    ...(row.parent === null ? {} : { parent: row.parent as RecordId }),
    lamport: row.lamport,
    writer: row.writer as WriterId,
    at: row.at,
    fields: JSON.parse(row.fields) as JsonObject,
    ...(row.clocks === null
      ? {}
      : { clocks: JSON.parse(row.clocks) as Readonly<Record<string, CompactClock>> }),
  });
}
