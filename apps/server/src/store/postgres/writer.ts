import { bucketOf, type DeviceId, type NamespaceId, type RecordId } from "@tidemark/protocol";
import { dayOf } from "../day.ts";
import type { Head, NamespaceWriter, RevisionRow, StoredRecord, TakenWriter } from "../port.ts";
import { storedForm } from "../stored-form.ts";
import { column } from "./column.ts";
import { digestNumber } from "./digest-text.ts";
import type { Transaction } from "./door.ts";
import { inParts } from "./parts.ts";
import { postgresReader } from "./reader.ts";
import { addLog, saveWraps } from "./sealed.ts";
import { textArrayType } from "./text-array.ts";

interface Scope {
  readonly tx: Transaction;
  readonly namespace: NamespaceId;
  /** Where the namespace stood when its row was locked. */
  readonly head: Head;
  readonly nowMs: number;
}

/** Writes of one namespace, under its head row's lock; each method is one statement, or as many as its rows need. */
export function postgresWriter(scope: Scope): NamespaceWriter {
  return {
    ...postgresReader(scope.tx, scope.namespace, scope.head),
    saveRecords: (records) => inParts(records, (part) => saveRecords(scope, part)),
    addRevisions: (revisions) => addRevisions(scope, revisions),
    eraseRevisions: (records) => inParts(records, (part) => eraseRevisions(scope, part)),
    saveWriters: (writers) => saveWriters(scope, writers),
    takenToday: (devices) => readTaken(scope, devices),
    saveHead: (head) => saveHead(scope, head),
    addLog: (rows) => addLog(scope.tx, scope, rows),
    saveWraps: (wraps) => saveWraps(scope.tx, scope.namespace, wraps),
    trimRevisions: async (beforeMs, rowsMax) => {
      const { tx, namespace } = scope;
      const { count } = await tx`
        delete from tidemark.revisions where namespace_id = ${namespace}
          and (record_id, field, lamport, writer, hash) in (
            select record_id, field, lamport, writer, hash from tidemark.revisions
            where namespace_id = ${namespace} and created_at_ms < ${beforeMs} limit ${rowsMax})`;
      return count;
    },
    trimMarks: async (beforeMs, keepEvery, rowsMax) => {
      const { tx, namespace, head } = scope;
      const { count } = await tx`
        delete from tidemark.marks where namespace_id = ${namespace} and head in (
          select head from tidemark.marks
          where namespace_id = ${namespace} and created_at_ms < ${beforeMs}
            and head % ${keepEvery}::bigint <> 0 and head <> ${head.head} limit ${rowsMax})`;
      return count;
    },
  };
}

/**
 * Binds one column of many records as one text, split again by PostgreSQL: arrays would have every
 * quote of the fields escaped here and unescaped there. No value has a line feed or is empty: ids
 * are plain, and JSON text escapes control characters. An empty part stands for null.
 */
function lines<T>(
  rows: readonly T[],
  valueOf: (row: T) => string | number | null | undefined,
): string {
  return rows.map((row) => valueOf(row) ?? "").join("\n");
}

async function saveRecords(scope: Scope, records: readonly StoredRecord[]): Promise<void> {
  const { tx, namespace } = scope;
  const forms = records.map(({ state }) => storedForm(state));
  // The fields go last: whatever the driver writes after a megabyte makes it copy that megabyte.
  await tx`
    insert into tidemark.records (namespace_id, id, collection, parent, seq, lamport, writer, at,
      fields, clocks, forgotten, bucket, digest, bytes, via, author)
    select ${namespace}, t.id, t.collection, t.parent, t.seq::bigint, t.lamport::bigint, t.writer,
      t.at::bigint, t.fields, t.clocks, t.fields is null, t.bucket::smallint, t.digest::bigint,
      t.bytes::integer, t.via, t.author
    from unnest(
      string_to_array(${lines(forms, (form) => form.id)}, E'\\n', ''),
      string_to_array(${lines(forms, (form) => form.collection)}, E'\\n', ''),
      string_to_array(${lines(forms, (form) => form.parent)}, E'\\n', ''),
      string_to_array(${lines(records, (record) => record.seq)}, E'\\n', ''),
      string_to_array(${lines(forms, (form) => form.lamport)}, E'\\n', ''),
      string_to_array(${lines(forms, (form) => form.writer)}, E'\\n', ''),
      string_to_array(${lines(forms, (form) => form.at)}, E'\\n', ''),
      string_to_array(${lines(forms, (form) => form.clocks)}, E'\\n', ''),
      string_to_array(${lines(forms, ({ id }) => bucketOf(id))}, E'\\n', ''),
      string_to_array(${lines(records, ({ digest }) => digestNumber(digest))}, E'\\n', ''),
      string_to_array(${lines(records, (record) => record.bytes)}, E'\\n', ''),
      string_to_array(${lines(records, (record) => record.via)}, E'\\n', ''),
      string_to_array(${lines(records, (record) => record.author)}, E'\\n', ''),
      string_to_array(${lines(forms, (form) => form.fields)}, E'\\n', '')
    ) as t (id, collection, parent, seq, lamport, writer, at, clocks, bucket, digest, bytes, via,
      author, fields)
    on conflict (namespace_id, id) do update set
      collection = excluded.collection, parent = excluded.parent, seq = excluded.seq,
      lamport = excluded.lamport, writer = excluded.writer, at = excluded.at,
      fields = excluded.fields, clocks = excluded.clocks, forgotten = excluded.forgotten,
      digest = excluded.digest, bytes = excluded.bytes, via = excluded.via,
      author = excluded.author`;
}

async function addRevisions(scope: Scope, rows: readonly RevisionRow[]): Promise<void> {
  if (rows.length === 0) return;
  const { tx, namespace, nowMs } = scope;
  await tx`
    insert into tidemark.revisions (namespace_id, record_id, field, value, lamport, writer, at,
      hash, replaced_by_lamport, replaced_by_writer, via, created_at_ms)
    select ${namespace}, t.record_id, t.field, t.value, t.lamport::bigint, t.writer, t.at::bigint,
      t.hash, t.replaced_by_lamport::bigint, t.replaced_by_writer, t.via, ${nowMs}::bigint
    from unnest(
      ${column(tx, rows, (row) => row.record)}::text[],
      ${column(tx, rows, (row) => row.field)}::text[],
      ${column(tx, rows, (row) => row.value)}::text[],
      ${column(tx, rows, (row) => row.lamport)}::text[],
      ${column(tx, rows, (row) => row.writer)}::text[],
      ${column(tx, rows, (row) => row.at)}::text[],
      ${column(tx, rows, (row) => row.hash)}::text[],
      ${column(tx, rows, (row) => row.replacedByLamport)}::text[],
      ${column(tx, rows, (row) => row.replacedByWriter)}::text[],
      ${column(tx, rows, (row) => row.via)}::text[]
    ) as t (record_id, field, value, lamport, writer, at, hash, replaced_by_lamport,
      replaced_by_writer, via)
    on conflict do nothing`;
}

async function eraseRevisions(scope: Scope, records: readonly RecordId[]): Promise<void> {
  const { tx, namespace } = scope;
  await tx`
    delete from tidemark.revisions
    where namespace_id = ${namespace}
      and record_id = any(${tx.array([...records], textArrayType)}::text[])`;
}

async function saveWriters(scope: Scope, rows: readonly TakenWriter[]): Promise<void> {
  if (rows.length === 0) return;
  const { tx, namespace, nowMs } = scope;
  await tx`
    insert into tidemark.writers as held (namespace_id, writer, device_id, acked, chain, since,
      results, day, taken)
    select ${namespace}, t.writer, t.device_id, t.acked::bigint, t.chain, t.since::bigint, t.results,
      ${dayOf(nowMs)}::integer, t.taken::integer
    from unnest(
      ${column(tx, rows, (row) => row.writer)}::text[],
      ${column(tx, rows, (row) => row.device)}::text[],
      ${column(tx, rows, (row) => row.acked)}::text[],
      ${column(tx, rows, (row) => row.chain)}::text[],
      ${column(tx, rows, (row) => row.since)}::text[],
      ${column(tx, rows, (row) => JSON.stringify(row.results))}::text[],
      ${column(tx, rows, (row) => row.taken ?? 0)}::text[]
    ) as t (writer, device_id, acked, chain, since, results, taken)
    on conflict (namespace_id, writer) do update set
      acked = excluded.acked, chain = excluded.chain, since = excluded.since,
      results = excluded.results, day = excluded.day,
      taken = excluded.taken + case when held.day = excluded.day then held.taken else 0 end`;
}

async function readTaken(
  { tx, namespace, nowMs }: Scope,
  devices: readonly DeviceId[],
): Promise<ReadonlyMap<DeviceId, number>> {
  const rows = await tx<{ readonly device: DeviceId; readonly taken: number }[]>`
    select device_id as device, sum(taken)::bigint as taken from tidemark.writers
    where namespace_id = ${namespace} and day = ${dayOf(nowMs)}
      and device_id = any(${tx.array([...devices], textArrayType)}::text[])
    group by device_id`;
  return new Map(rows.map(({ device, taken }) => [device, taken]));
}

async function saveHead(scope: Scope, head: Head): Promise<void> {
  const { tx, namespace, nowMs } = scope;
  const update = tx`
    update tidemark.namespaces
    set head = ${head.head}, mark = ${head.mark}, lamport = ${head.lamport},
      digest = ${digestNumber(head.digest)}::text::bigint, count = ${head.count},
      live_count = ${head.liveCount}, live_bytes = ${head.liveBytes}
    where namespace_id = ${namespace}`;
  if (head.head === scope.head.head) {
    await update;
    return;
  }
  const insert = tx`
    insert into tidemark.marks (namespace_id, head, mark, created_at_ms)
    values (${namespace}, ${head.head}, ${head.mark}, ${nowMs})`;
  await Promise.all([update, insert]);
}
