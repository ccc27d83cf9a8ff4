import {
  bucketCount,
  collections,
  emptyDigest,
  type DeviceId,
  type Digest,
  type NamespaceId,
  type OpResult,
  type RecordId,
  type Role,
  type SetDigest,
  type WriterId,
} from "@tidemark/protocol";
import type { WriterInfo } from "@tidemark/protocol/wire";
import { lowerRole } from "../admission-rules.ts";
import type {
  Access,
  BucketPage,
  ChildRow,
  Head,
  NamespaceReader,
  PageLine,
  PastByRecord,
  RevisionRow,
  Revisions,
  RevisionsRoom,
  StoredRecord,
  Write,
  WriterRow,
} from "../port.ts";
import { dayMs } from "../day.ts";
import { pastByRecord } from "../past-by-record.ts";
import { lineOfForm, writersOfForm, type StoredForm } from "../stored-form.ts";
import { readBrowse, readDeviceWork, readHeadsByDay } from "./browse.ts";
import { column } from "./column.ts";
import type { Transaction } from "./door.ts";
import { inParts } from "./parts.ts";
import { storedOfRow, type RecordRow } from "./record-rows.ts";
import type { Scope } from "./scope.ts";
import { sealedReads } from "./sealed.ts";
import { textArrayType } from "./text-array.ts";

/** Reads of one namespace in one transaction. `head` was read when the transaction began. */
export function postgresReader(
  tx: Transaction,
  namespace: NamespaceId,
  head: Head,
): NamespaceReader {
  const scope: Scope = { tx, namespace };
  return {
    head: async () => head,
    access: (device) => readAccess(scope, device),
    writer: async (writer) => (await readWriterRows(scope, [writer]))[0],
    writerRows: (writers) => readWriterRows(scope, writers),
    page: (after, countMax, bytesMax) => readPage(scope, after, { countMax, bytesMax }),
    records: (ids, bytesMax) => readRecords(scope, ids, bytesMax),
    present: (ids) => readPresent(scope, ids),
    children: (parents) => readChildren(scope, parents),
    conflictCount: (record, countMax) => countConflicts(scope, record, countMax),
    bucketDigests: () => readBucketDigests(scope),
    bucket: (bucket, page) => readBucket(scope, bucket, page),
    markOf: (at) => readMark(scope, at),
    placeOf: (device, atMs) => readPlace(scope, device, atMs),
    writers: (writers) => readWriters(scope, writers),
    browse: (query) => readBrowse(scope, query),
    headsByDay: (sinceMs) => readHeadsByDay(scope, sinceMs),
    deviceWork: () => readDeviceWork(scope),
    revisions: (record, room) => readRevisions(scope, record, room),
    pastClocks: (writes) => readPastClocks(scope, writes),
    ...sealedReads(tx, namespace),
  };
}

/** Where a namespace stands; `isLocked` holds the row until the transaction ends (PL1). */
export async function readHead(
  tx: Transaction,
  namespace: NamespaceId,
  isLocked: boolean,
): Promise<Head | undefined> {
  const [row] = await tx<Head[]>`
    select head, mark, lamport, lpad(to_hex(digest), 16, '0') as digest, count,
      live_count as "liveCount", live_bytes as "liveBytes"
    from tidemark.namespaces where namespace_id = ${namespace}
    ${isLocked ? tx`for update` : tx``}`;
  return row === undefined ? undefined : { ...row };
}

async function readAccess({ tx, namespace }: Scope, device: string): Promise<Access | undefined> {
  const [row] = await tx<(Access & OnlyRow)[]>`
    select m.user_id as user, m.role, d.only_namespace_id as "onlyNamespace",
      d.role_max as "roleMax"
    from tidemark.devices d
    join tidemark.members m on m.namespace_id = ${namespace} and m.user_id = d.user_id
    where d.id = ${device} and d.status <> 'revoked'`;
  if (row === undefined) return undefined;
  const { user, role, onlyNamespace, roleMax } = row;
  if (onlyNamespace !== null && onlyNamespace !== namespace) return undefined;
  return { user, role: lowerRole(role, roleMax ?? undefined) };
}

/** What binds a machine to one namespace; both null for a person's own device. */
interface OnlyRow {
  readonly onlyNamespace: NamespaceId | null;
  readonly roleMax: Role | null;
}

async function readWriterRows(
  { tx, namespace }: Scope,
  writers: readonly WriterId[],
): Promise<readonly WriterRow[]> {
  if (writers.length === 0) return [];
  const rows = await tx<(Omit<WriterRow, "results"> & { readonly results: string })[]>`
    select writer, device_id as device, acked, chain, since, results
    from tidemark.writers
    where namespace_id = ${namespace}
      and writer = any(${tx.array([...writers], textArrayType)}::text[])`;
  return rows.map((row) => ({ ...row, results: JSON.parse(row.results) as readonly OpResult[] }));
}

async function readPage(
  { tx, namespace }: Scope,
  after: number,
  most: { readonly countMax: number; readonly bytesMax: number },
): Promise<readonly PageLine[]> {
  const rows = await tx<(StoredForm & { readonly seq: number; readonly via: WriterId | null })[]>`
    select seq, id, collection, parent, lamport, writer, at, fields, clocks, via
    from (
      select seq, id, collection, parent, lamport, writer, at, fields, clocks, via,
        sum(bytes) over (order by seq) - bytes as bytes_before
      from tidemark.records
      where namespace_id = ${namespace} and seq > ${after}
      order by seq limit ${most.countMax}
    ) page
    where bytes_before < ${most.bytesMax}
    order by seq`;
  return rows.map((row) => ({
    seq: row.seq,
    line: lineOfForm(row.seq, row, row.via),
    writers: row.via === null ? writersOfForm(row) : [...writersOfForm(row), row.via],
  }));
}

async function readRecords(
  { tx, namespace }: Scope,
  ids: readonly RecordId[],
  bytesMax = Number.MAX_SAFE_INTEGER,
): Promise<readonly StoredRecord[]> {
  if (ids.length === 0) return [];
  // What is beyond the room never leaves the database, but for the first of it.
  const rows = await tx<RecordRow[]>`
    select seq, id, collection, parent, lamport, writer, at, fields, clocks, bytes, via, author,
      digest
    from (
      select seq, id, collection, parent, lamport, writer, at, fields, clocks, bytes, via, author,
        lpad(to_hex(digest), 16, '0') as digest,
        sum(bytes) over (rows unbounded preceding) - bytes as bytes_before
      from tidemark.records
      where namespace_id = ${namespace} and id = any(string_to_array(${ids.join("\n")}, E'\\n'))
    ) found
    where bytes_before <= ${bytesMax}`;
  return rows.map(storedOfRow);
}

async function readPresent(
  { tx, namespace }: Scope,
  ids: readonly RecordId[],
): Promise<readonly RecordId[]> {
  if (ids.length === 0) return [];
  const rows = await tx<{ readonly id: RecordId }[]>`
    select id from tidemark.records
    where namespace_id = ${namespace} and id = any(string_to_array(${ids.join("\n")}, E'\\n'))`;
  return rows.map(({ id }) => id);
}

async function readChildren(
  { tx, namespace }: Scope,
  parents: readonly RecordId[],
): Promise<readonly ChildRow[]> {
  const children: ChildRow[] = [];
  await inParts(parents, async (part) => {
    const rows = await tx<(Omit<ChildRow, "via"> & { readonly via: WriterId | null })[]>`
      select id, collection, parent, bytes, via, lpad(to_hex(digest), 16, '0') as digest
      from tidemark.records
      where namespace_id = ${namespace} and not forgotten
        and parent = any(${tx.array([...part], textArrayType)}::text[])`;
    for (const { via, ...row } of rows) children.push({ ...row, via: via ?? undefined });
  });
  return children;
}

async function countConflicts(
  { tx, namespace }: Scope,
  record: RecordId,
  countMax: number,
): Promise<number> {
  const [row] = await tx<{ readonly count: number }[]>`
    select count(*) as count
    from (
      select from tidemark.records
      where namespace_id = ${namespace} and not forgotten and parent = ${record}
        and collection = ${collections.conflict}
      limit ${countMax}
    ) counted`;
  return row?.count ?? 0;
}

async function readBucketDigests({ tx, namespace }: Scope): Promise<readonly SetDigest[]> {
  const rows = await tx<(SetDigest & { readonly bucket: number })[]>`
    select bucket, lpad(to_hex(bit_xor(digest)), 16, '0') as digest, count(*) as count
    from tidemark.records where namespace_id = ${namespace} group by bucket`;
  const byBucket = new Map(rows.map(({ bucket, digest, count }) => [bucket, { digest, count }]));
  return Array.from(
    { length: bucketCount },
    (_, bucket) => byBucket.get(bucket) ?? { digest: emptyDigest, count: 0 },
  );
}

// A bucket among others is found by its index and sorted; one that somebody filled is walked along the
// primary key, from `after` on.
async function readBucket(
  { tx, namespace }: Scope,
  bucket: number,
  page: BucketPage | undefined,
): Promise<readonly (readonly [RecordId, Digest])[]> {
  const rows = await tx<{ readonly id: RecordId; readonly digest: Digest }[]>`
    select id, lpad(to_hex(digest), 16, '0') as digest
    from tidemark.records where namespace_id = ${namespace} and bucket = ${bucket}
      ${page?.after === undefined ? tx`` : tx`and id > ${page.after}`}
    order by id ${page === undefined ? tx`` : tx`limit ${page.countMax}`}`;
  return rows.map(({ id, digest }) => [id, digest] as const);
}

async function readMark({ tx, namespace }: Scope, head: number): Promise<string | undefined> {
  const [row] = await tx<{ readonly mark: string }[]>`
    select mark from tidemark.marks where namespace_id = ${namespace} and head = ${head}`;
  return row?.mark;
}

async function readPlace(
  { tx, namespace }: Scope,
  device: DeviceId,
  atMs: number,
): Promise<number | undefined> {
  const [row] = await tx<{ readonly isWriter: boolean; readonly place: number }[]>`
    select
      exists (select 1 from tidemark.writers
        where namespace_id = ${namespace} and device_id = ${device}) as "isWriter",
      coalesce((select max(head) from tidemark.marks
        where namespace_id = ${namespace} and created_at_ms <= ${atMs}), 0) as place`;
  return row?.isWriter === true ? row.place : undefined;
}

async function readWriters(
  { tx, namespace }: Scope,
  writers: readonly WriterId[],
): Promise<readonly WriterInfo[]> {
  if (writers.length === 0) return [];
  const rows = await tx<
    (WriterInfo & { readonly machine: boolean; readonly joinedAt: number | null })[]
  >`
    select w.writer, d.id as device, d.name as "deviceName", u.id as user, u.name as "userName",
      d.kind = 'ci' as machine,
      case when m.joined_at_ms > n.created_at_ms + ${dayMs}::bigint then m.joined_at_ms end
        as "joinedAt"
    from tidemark.writers w
    join tidemark.devices d on d.id = w.device_id
    join tidemark.users u on u.id = d.user_id
    join tidemark.namespaces n on n.namespace_id = w.namespace_id
    left join tidemark.members m on m.namespace_id = w.namespace_id and m.user_id = u.id
    where w.namespace_id = ${namespace}
      and w.writer = any(${tx.array([...writers], textArrayType)}::text[])
    order by w.writer`;
  return rows.map(({ machine, joinedAt, ...row }) => ({
    ...row,
    ...(machine ? { machine } : {}),
    ...(joinedAt === null ? {} : { joinedAt }),
  }));
}

async function readRevisions(
  { tx, namespace }: Scope,
  record: RecordId,
  { countMax, bytesMax }: RevisionsRoom,
): Promise<Revisions> {
  // One more than there is room for is counted; what does not fit never leaves the database.
  const found = await tx<RevisionFound[]>`
    select record, field, value, lamport, writer, at, hash, "replacedByLamport",
      "replacedByWriter", via, found
    from (
      select newest.*, row_number() over places as place, count(*) over () as found,
        sum(octet_length(value)) over places as bytes
      from (
        select record_id as record, field, value, lamport, writer, at, hash,
          replaced_by_lamport as "replacedByLamport", replaced_by_writer as "replacedByWriter", via
        from tidemark.revisions where namespace_id = ${namespace} and record_id = ${record}
        order by lamport desc, writer desc, field collate "C", hash collate "C"
        limit ${countMax + 1}
      ) newest
      window places as (order by lamport desc, writer desc, field collate "C", hash collate "C")
    ) placed
    where place = 1 or (place <= ${countMax} and bytes <= ${bytesMax})
    order by place`;
  const rows = found.map((row): RevisionRow => ({
    record: row.record,
    field: row.field,
    value: row.value,
    lamport: row.lamport,
    writer: row.writer,
    at: row.at,
    hash: row.hash,
    replacedByLamport: row.replacedByLamport,
    replacedByWriter: row.replacedByWriter,
    via: row.via ?? undefined,
  }));
  return { rows, hasMore: (found[0]?.found ?? 0) > rows.length };
}

type RevisionFound = Omit<RevisionRow, "via"> & {
  readonly via: WriterId | null;
  readonly found: number;
};

// By clocks, along the key: a record may have as many values behind it as somebody cared to write.
// The array is cast and not its items, or row-level security would keep lamports out of the walk: a
// cast can fail, and what can fail is asked of a row only after its policy.
async function readPastClocks(
  { tx, namespace }: Scope,
  writes: readonly Write[],
): Promise<PastByRecord> {
  if (writes.length === 0) return new Map();
  const rows = await tx<Write[]>`
    select distinct r.record_id as record, r.field, r.lamport, r.writer, r.hash
    from unnest(
      ${column(tx, writes, ({ record }) => record)}::text[],
      ${column(tx, writes, ({ field }) => field)}::text[],
      ${column(tx, writes, ({ lamport }) => lamport)}::text[]::bigint[],
      ${column(tx, writes, ({ writer }) => writer)}::text[],
      ${column(tx, writes, ({ hash }) => hash)}::text[]
    ) as asked (record_id, field, lamport, writer, hash)
    join tidemark.revisions r on r.namespace_id = ${namespace} and r.record_id = asked.record_id
      and r.field = asked.field and r.lamport = asked.lamport and r.writer = asked.writer
      and r.hash = asked.hash`;
  return pastByRecord(rows);
}
