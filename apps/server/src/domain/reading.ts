import {
  collections,
  fail,
  isTombstone,
  ok,
  type DeviceId,
  type NamespaceId,
  type RecordId,
  type RecordState,
  type Result,
  type Role,
  type WriterId,
} from "@tidemark/protocol";
import type { WriterInfo } from "@tidemark/protocol/wire";
import { serverLimits } from "../limits.ts";
import { dayMs, dayOf } from "../store/day.ts";
import type { DeviceWork, Head, NamespaceReader, Revisions, StoredRecord } from "../store/port.ts";
import { bytesOf } from "./known.ts";
import type { SyncDeps } from "./sync-deps.ts";
import type { SyncError } from "./sync-error.ts";
import { inRead } from "./transaction.ts";

/** Observations of one page for people. */
const pageMax = 30;
/** Conflicts of one page. */
const conflictsMax = 50;
const { searchedMax, pageBytesMax } = serverLimits.console;
/** Days that activity is told of. */
export const activityDays = 30;

type Deps = Pick<SyncDeps, "store">;

/** Who wants to read where; rights are read in the transaction that reads the rest (CO4). */
export interface Reading {
  readonly namespace: NamespaceId;
  readonly device: DeviceId;
}

/** Records for people, with who stands behind their clocks. */
export interface Shown {
  readonly records: readonly StoredRecord[];
  readonly writers: ReadonlyMap<WriterId, WriterInfo>;
}

/** A page of observations; `below` goes on with older ones. */
export interface ObservationsPage extends Shown {
  readonly below: number | undefined;
  readonly role: Role;
}

/** Reads observations newest first, all of them or those that hold some words (CO8). */
export function readObservations(
  { store }: Deps,
  reading: Reading & { readonly before: number | undefined; readonly words: readonly string[] },
): Promise<Result<ObservationsPage, SyncError>> {
  return allowed({ store }, reading, async (tx, role) => {
    const part = await tx.browse({
      collection: collections.observation,
      before: reading.before,
      words: reading.words.map(jsonWord),
      countMax: pageMax,
      scanMax: searchedMax,
      bytesMax: pageBytesMax,
    });
    return { ...part, role, writers: await writersOf(tx, part.records) };
  });
}

/** As it stands in JSON text, where a quotation mark has a backslash before it. */
function jsonWord(word: string): string {
  return JSON.stringify(word).slice(1, -1);
}

/** One observation, its past values, how many lost and what was learned around it. */
export interface ObservationView extends Shown {
  readonly record: StoredRecord;
  readonly revisions: Revisions;
  /** As many as a page of conflicts shows. */
  readonly conflicts: { readonly count: number; readonly hasMore: boolean };
  readonly older: readonly StoredRecord[];
}

/** Reads one observation with all that is known of it. */
export async function readObservation(
  { store }: Deps,
  reading: Reading & { readonly record: RecordId },
): Promise<Result<ObservationView, SyncError>> {
  const found = await allowed({ store }, reading, async (tx) => {
    const [record] = await tx.records([reading.record]);
    if (record === undefined || isTombstone(record.state)) return undefined;
    const [revisions, found, around] = await Promise.all([
      tx.revisions(reading.record, serverLimits.revisions),
      tx.conflictCount(reading.record, conflictsMax + 1),
      tx.browse({
        collection: collections.observation,
        before: record.seq,
        words: [],
        countMax: 5,
        scanMax: 5,
        bytesMax: pageBytesMax,
      }),
    ]);
    const conflicts = { count: Math.min(found, conflictsMax), hasMore: found > conflictsMax };
    const changed = revisions.rows.flatMap((row) => [row.writer, row.replacedByWriter]);
    const records = [record, ...around.records];
    const writers = await writersOf(tx, records, changed);
    return { record, revisions, conflicts, older: around.records, records, writers };
  });
  if (!found.ok) return found;
  return found.value === undefined ? fail({ kind: "not-found" }) : ok(found.value);
}

/** Values that lost, newest first, with the records that they lost in. */
export interface ConflictsPage extends Shown {
  readonly parents: ReadonlyMap<RecordId, StoredRecord>;
  readonly hasMore: boolean;
}

/** Reads the conflicts that nobody has settled. */
export function readConflicts(
  { store }: Deps,
  reading: Reading,
): Promise<Result<ConflictsPage, SyncError>> {
  return allowed({ store }, reading, async (tx) => {
    const part = await tx.browse({
      collection: collections.conflict,
      before: undefined,
      words: [],
      countMax: conflictsMax,
      scanMax: conflictsMax,
      bytesMax: pageBytesMax,
    });
    const ids = new Set(part.records.flatMap(({ state }) => parentOf(state) ?? []));
    const read = await tx.records([...ids], pageBytesMax);
    const parents = new Map(read.map((record) => [record.state.id, record]));
    // A value is shown beside the one that stands, or later.
    const isWhole = bytesOf(read) <= pageBytesMax;
    const records = part.records.filter(({ state }) => {
      const parent = parentOf(state);
      return isWhole || parent === undefined || parents.has(parent);
    });
    return {
      records,
      hasMore: part.below !== undefined || records.length < part.records.length,
      parents,
      writers: await writersOf(tx, [...records, ...read]),
    };
  });
}

function parentOf(state: RecordState): RecordId | undefined {
  return isTombstone(state) ? undefined : state.parent;
}

/** What happened in a namespace lately, and where it stands. */
export interface NamespaceActivity {
  readonly head: Head;
  readonly role: Role;
  /** Changes of each day, oldest first, ending with today. */
  readonly days: readonly { readonly atMs: number; readonly changes: number }[];
  readonly devices: readonly DeviceWork[];
}

/** Reads how much was changed on each day, and by whom. */
export function readActivity(
  { store }: Deps,
  reading: Reading & { readonly nowMs: number },
): Promise<Result<NamespaceActivity, SyncError>> {
  const first = dayOf(reading.nowMs) - activityDays + 1;
  return allowed({ store }, reading, async (tx, role) => {
    const [head, heads, devices] = await Promise.all([
      tx.head(),
      tx.headsByDay(first * dayMs),
      tx.deviceWork(),
    ]);
    const headByDay = new Map(heads.days.map(({ day, head }) => [day, head]));
    let last = heads.before;
    const days = Array.from({ length: activityDays }, (_, index) => {
      const at = headByDay.get(first + index) ?? last;
      const changes = Math.max(0, at - last);
      last = Math.max(last, at);
      return { atMs: (first + index) * dayMs, changes };
    });
    return { head, role, days, devices };
  });
}

async function allowed<T>(
  { store }: Deps,
  { namespace, device }: Reading,
  work: (tx: NamespaceReader, role: Role) => Promise<T>,
): Promise<Result<T, SyncError>> {
  return await inRead(store, namespace, async (tx) => {
    const access = await tx.access(device);
    return access === undefined ? fail({ kind: "not-found" }) : ok(await work(tx, access.role));
  });
}

async function writersOf(
  tx: NamespaceReader,
  records: readonly StoredRecord[],
  others: readonly WriterId[] = [],
): Promise<ReadonlyMap<WriterId, WriterInfo>> {
  const named = records.flatMap(({ state }) =>
    isTombstone(state) ? [] : Object.values(state.registers).map(({ clock }) => clock.writer),
  );
  const rows = await tx.writers([...new Set([...named, ...others])]);
  return new Map(rows.map((row) => [row.writer, row]));
}
