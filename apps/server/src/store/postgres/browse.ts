import type { DeviceId, UserId } from "@tidemark/protocol";
import { dayMs } from "../day.ts";
import type { BrowsedPart, BrowseQuery, DeviceWork, HeadsByDay } from "../port.ts";
import { storedOfRow, type RecordRow } from "./record-rows.ts";
import type { Scope } from "./scope.ts";

/** Live records of a collection, newest first; the index by seq is walked down and no further than asked. */
export async function readBrowse(
  { tx, namespace }: Scope,
  query: BrowseQuery,
): Promise<BrowsedPart> {
  const { collection, before, words, countMax } = query;
  const scanMax = words.length === 0 ? countMax : query.scanMax;
  const place = tx`
    namespace_id = ${namespace} and not forgotten and ${isOf(tx, collection)}
      and seq < ${before ?? Number.MAX_SAFE_INTEGER}`;
  const holding = words.map((word) => tx`and position(lower(${word}) in lower(fields)) > 0`);
  // Sizes are added up before anything large is read: what does not fit never leaves the database.
  const rows = await tx<(RecordRow & { readonly found: number })[]>`
    select seq, id, collection, parent, lamport, writer, at, fields, clocks, bytes, via, author,
      digest, found
    from (
      select seq, id, collection, parent, lamport, writer, at, fields, clocks, bytes, via, author,
        lpad(to_hex(digest), 16, '0') as digest, count(*) over () as found,
        sum(bytes) over (order by seq desc) - bytes as bytes_before
      from (
        select seq, id, collection, parent, lamport, writer, at, fields, clocks, bytes, via,
          author, digest
        from (
          select seq, id, collection, parent, lamport, writer, at, fields, clocks, bytes, via,
            author, digest
          from tidemark.records where ${place} order by seq desc limit ${scanMax}
        ) newest
        where true ${holding.reduce((all, one) => tx`${all} ${one}`, tx``)}
        order by seq desc limit ${countMax}
      ) holding
    ) summed
    where bytes_before < ${query.bytesMax}
    order by seq desc`;
  const records = rows.map(storedOfRow);
  const isCut = records.length < (rows[0]?.found ?? 0);
  if (isCut || records.length >= countMax) return { records, below: records.at(-1)?.seq };
  if (words.length === 0) return { records, below: undefined };
  const [scanned] = await tx<{ readonly count: number; readonly lowest: number | null }[]>`
    select count(*) as count, min(seq) as lowest
    from (select seq from tidemark.records where ${place} order by seq desc limit ${scanMax}) seen`;
  const isWhole = scanned === undefined || scanned.count < scanMax;
  return { records, below: isWhole ? undefined : (scanned.lowest ?? undefined) };
}

/** Conflicts have an index of their own, which a bound name would not find. */
function isOf(tx: Scope["tx"], collection: string): ReturnType<Scope["tx"]> {
  return collection === "conflict" ? tx`collection = 'conflict'` : tx`collection = ${collection}`;
}

/** Where the namespace stood at the end of each day. */
export async function readHeadsByDay(
  { tx, namespace }: Scope,
  sinceMs: number,
): Promise<HeadsByDay> {
  const days = await tx<{ readonly day: number; readonly head: number }[]>`
    select created_at_ms / ${dayMs}::bigint as day, max(head) as head
    from tidemark.marks where namespace_id = ${namespace} and created_at_ms >= ${sinceMs}
    group by 1 order by 1`;
  const [before] = await tx<{ readonly head: number | null }[]>`
    select max(head) as head
    from tidemark.marks where namespace_id = ${namespace} and created_at_ms < ${sinceMs}`;
  return { before: before?.head ?? 0, days: days.map(({ day, head }) => ({ day, head })) };
}

interface WorkRow extends Omit<DeviceWork, "lastSeenAtMs"> {
  readonly device: DeviceId;
  readonly user: UserId;
  readonly lastSeenAtMs: number | null;
}

/** Who has written in the namespace; without a name where people are kept on another server. */
export async function readDeviceWork({ tx, namespace }: Scope): Promise<readonly DeviceWork[]> {
  const rows = await tx<WorkRow[]>`
    select w.device_id as device, coalesce(d.name, '') as "deviceName",
      coalesce(u.id, '') as user, coalesce(u.name, '') as "userName",
      sum(w.acked)::bigint as ops, d.last_seen_at_ms as "lastSeenAtMs",
      coalesce(d.status <> 'revoked', false) as "isLetIn"
    from tidemark.writers w
    left join tidemark.devices d on d.id = w.device_id
    left join tidemark.users u on u.id = d.user_id
    where w.namespace_id = ${namespace}
    group by w.device_id, d.id, u.id
    order by d.last_seen_at_ms desc nulls last, w.device_id collate "C"`;
  return rows.map(({ lastSeenAtMs, ...row }) => ({
    ...row,
    lastSeenAtMs: lastSeenAtMs ?? undefined,
  }));
}
