import {
  compactState,
  expandState,
  highestLamport,
  isTombstone,
  recordDigest,
  replaceInSet,
  tombstone,
  type CompactClock,
  type Digest,
  type JsonObject,
  type RecordId,
  type RecordState,
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

/** Ids of the confirmed children of a record. */
export function confirmedChildren(
  context: StoreContext,
  namespace: string,
  parent: string,
): readonly RecordId[] {
  return context.db
    .all<{ id: RecordId }>(
      "SELECT id FROM records WHERE namespace = ? AND parent = ? ORDER BY id",
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
  const { state, seq } = confirmed;
  const { namespace } = replica;
  const before = context.db.get<{ digest: Digest }>(
    "SELECT digest FROM records WHERE namespace = ? AND id = ?",
    namespace,
    state.id,
  )?.digest;
  const digest = recordDigest(context.sha256, state);
  insertRecord(context, namespace, { state, seq, digest });
  const set = replaceInSet({ digest: replica.digest, count: replica.count }, before, digest);
  replica.digest = set.digest;
  replica.count = set.count;
  replica.lamport = Math.max(replica.lamport, highestLamport(state));
  if (isTombstone(state)) erasePast(context, namespace, state.id);
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

function insertRecord(context: StoreContext, namespace: string, confirmed: Confirmed): void {
  const { state, seq, digest } = confirmed;
  const compact = compactState(state);
  const isLive = !("forgotten" in compact);
  context.db.run(
    `INSERT OR REPLACE INTO records (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    namespace,
    compact.id,
    compact.collection,
    isLive ? (compact.parent ?? null) : null,
    seq,
    isLive ? compact.lamport : 0,
    isLive ? compact.writer : "",
    isLive ? compact.at : 0,
    isLive ? JSON.stringify(compact.fields) : "{}",
    isLive && compact.clocks !== undefined ? JSON.stringify(compact.clocks) : null,
    isLive ? 0 : 1,
    digest,
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
