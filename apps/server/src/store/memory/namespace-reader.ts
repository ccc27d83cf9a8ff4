import {
  bucketCount,
  collections,
  compareText,
  emptyDigest,
  xorDigests,
  type DeviceId,
  type RecordId,
  type SetDigest,
  type UserId,
  type WriterId,
} from "@tidemark/protocol";
import type { KeyWrap, WriterInfo } from "@tidemark/protocol/wire";
import type {
  ChildRow,
  NamespaceReader,
  PageLine,
  PastByRecord,
  RevisionRow,
  Revisions,
  RevisionsRoom,
  StoredRecord,
  Write,
} from "../port.ts";
import { dayMs } from "../day.ts";
import { pastByRecord } from "../past-by-record.ts";
import { lineOfForm, stateOfForm, writersOfForm } from "../stored-form.ts";
import { lowerRole } from "../admission-rules.ts";
import { browse, deviceWork, headsByDay } from "./browse.ts";
import type { AccountState } from "./account-state.ts";
import type { NamespaceState, RecordRow } from "./namespace-state.ts";

/** Reads of one namespace; the caller holds its lock, so all of them see one state. */
export function memoryReader(state: NamespaceState, accounts: AccountState): NamespaceReader {
  const stored = (ids: Iterable<RecordId>): readonly StoredRecord[] =>
    [...ids].flatMap((id) => {
      const row = state.records.get(id);
      return row === undefined ? [] : [storedOfRow(row)];
    });
  return {
    head: async () => state.head,
    access: async (device) => accessOf(state, accounts, device),
    writer: async (writer) => state.writers.get(writer),
    writerRows: async (writers) =>
      [...new Set(writers)].flatMap((writer) => state.writers.get(writer) ?? []),
    page: async (after, countMax, bytesMax) => pageOf(state, after, { countMax, bytesMax }),
    records: async (ids, bytesMax = Number.MAX_SAFE_INTEGER) => {
      let before = 0;
      return stored(new Set(ids)).filter(({ bytes }) => {
        const isGiven = before <= bytesMax;
        before += bytes;
        return isGiven;
      });
    },
    present: async (ids) => [...new Set(ids)].filter((id) => state.records.has(id)),
    children: async (parents) => [...new Set(parents)].flatMap((id) => childrenOf(state, id)),
    conflictCount: async (record, countMax) => {
      const all = childrenOf(state, record);
      const conflicts = all.filter(({ collection }) => collection === collections.conflict);
      return Math.min(conflicts.length, countMax);
    },
    bucketDigests: async () => bucketsOf(state),
    bucket: async (bucket, page) =>
      [...state.records]
        .filter(([id, row]) => row.bucket === bucket && compareText(id, page?.after ?? "") > 0)
        .map(([id, row]) => [id, row.digest] as const)
        .toSorted(([left], [right]) => compareText(left, right))
        .slice(0, page?.countMax),
    markOf: async (head) => state.marks.get(head)?.mark,
    placeOf: async (device, atMs) => placeOf(state, device, atMs),
    writers: async (writers) => writersOf(state, accounts, writers),
    browse: async (query) => browse(state, query, storedOfRow),
    headsByDay: async (sinceMs) => headsByDay(state, sinceMs),
    deviceWork: async () => deviceWork(state, accounts),
    revisions: async (record, room) => fitting(revisionsOf(state, new Set([record])), room),
    pastClocks: async (writes) => pastClocksOf(state, writes),
    logEnd: async () => state.log.at(-1),
    epochBeginning: async () => {
      const newest = state.log.at(-1)?.epoch;
      return state.log.find(({ epoch }) => epoch === newest);
    },
    log: async () => state.log.map(({ entry }) => entry),
    wraps: async (recipient) =>
      state.wraps.filter((wrap) => wrap.recipient === recipient).toSorted(byEpoch),
    wrappedEpochs: async () => {
      const wrapped = new Map<string, number[]>();
      for (const { recipient, epoch } of state.wraps.toSorted(byEpoch)) {
        const epochs = wrapped.get(recipient);
        if (epochs === undefined) wrapped.set(recipient, [epoch]);
        else epochs.push(epoch);
      }
      return wrapped;
    },
  };
}

function byEpoch(left: KeyWrap, right: KeyWrap): number {
  return left.epoch - right.epoch;
}

function placeOf(state: NamespaceState, device: DeviceId, atMs: number): number | undefined {
  if (![...state.writers.values()].some((writer) => writer.device === device)) return undefined;
  const heads = [...state.marks].flatMap(([head, mark]) => (mark.createdAtMs <= atMs ? head : []));
  return Math.max(0, ...heads);
}

function childrenOf(state: NamespaceState, parent: RecordId): readonly ChildRow[] {
  return [...(state.childrenByParent.get(parent) ?? [])].flatMap((id) => {
    const row = state.records.get(id);
    if (row === undefined) return [];
    const { form, digest, bytes, via } = row;
    return [{ id, collection: form.collection, parent, digest, bytes, via }];
  });
}

function storedOfRow(row: RecordRow): StoredRecord {
  return {
    seq: row.seq,
    state: stateOfForm(row.form),
    digest: row.digest,
    bytes: row.bytes,
    via: row.via,
    author: row.author,
  };
}

function accessOf(
  state: NamespaceState,
  accounts: AccountState,
  id: DeviceId,
): Awaited<ReturnType<NamespaceReader["access"]>> {
  const device = accounts.devices.get(id);
  if (device === undefined || device.status !== "active") return undefined;
  const { user, only } = device;
  if (only !== undefined && only.namespace !== state.id) return undefined;
  const role = state.members.get(user);
  return role === undefined ? undefined : { user, role: lowerRole(role, only?.roleMax) };
}

function pageOf(
  state: NamespaceState,
  after: number,
  most: { readonly countMax: number; readonly bytesMax: number },
): readonly PageLine[] {
  const page: PageLine[] = [];
  let bytes = 0;
  for (const [seq, id] of state.idBySeq) {
    if (seq <= after) continue;
    if (page.length >= most.countMax || bytes >= most.bytesMax) break;
    const row = state.records.get(id);
    if (row === undefined) continue;
    const writers = writersOfForm(row.form);
    page.push({
      seq,
      line: lineOfForm(seq, row.form, row.via),
      writers: row.via === undefined ? writers : [...writers, row.via],
    });
    bytes += row.bytes;
  }
  return page;
}

function bucketsOf(state: NamespaceState): readonly SetDigest[] {
  const buckets = Array.from({ length: bucketCount }, () => ({ digest: emptyDigest, count: 0 }));
  for (const row of state.records.values()) {
    const bucket = buckets[row.bucket];
    if (bucket === undefined) continue;
    bucket.digest = xorDigests(bucket.digest, row.digest);
    bucket.count += 1;
  }
  return buckets;
}

function writersOf(
  state: NamespaceState,
  accounts: AccountState,
  writers: readonly WriterId[],
): readonly WriterInfo[] {
  return [...new Set(writers)].toSorted(compareText).flatMap((writer) => {
    const device = accounts.devices.get(state.writers.get(writer)?.device ?? ("" as DeviceId));
    const user = device === undefined ? undefined : accounts.users.get(device.user);
    if (device === undefined || user === undefined) return [];
    const { id, name } = device;
    const person = { writer, device: id, deviceName: name, user: user.id, userName: user.name };
    const joinedAt = laterMember(state, user.id);
    return [
      {
        ...person,
        ...(device.only === undefined ? {} : { machine: true }),
        ...(joinedAt === undefined ? {} : { joinedAt }),
      },
    ];
  });
}

/** When somebody became a member who was none on the namespace's first day. */
function laterMember(state: NamespaceState, user: UserId): number | undefined {
  const joinedAtMs = state.members.has(user) ? state.joinedAtMs.get(user) : undefined;
  const isLater = (joinedAtMs ?? 0) > state.madeAtMs + dayMs;
  return isLater ? joinedAtMs : undefined;
}

function revisionsOf(
  state: NamespaceState,
  records: ReadonlySet<RecordId>,
): readonly RevisionRow[] {
  return [...state.revisions.values()]
    .filter(({ row }) => records.has(row.record))
    .map(({ row }) => row)
    .toSorted(newestFirst);
}

function fitting(all: readonly RevisionRow[], { countMax, bytesMax }: RevisionsRoom): Revisions {
  let bytes = 0;
  const rows = all.slice(0, countMax).filter(({ value }, index) => {
    bytes += Buffer.byteLength(value, "utf8");
    return index === 0 || bytes <= bytesMax;
  });
  return { rows, hasMore: rows.length < all.length };
}

function newestFirst(left: RevisionRow, right: RevisionRow): number {
  return (
    right.lamport - left.lamport ||
    compareText(right.writer, left.writer) ||
    compareText(left.field, right.field) ||
    compareText(left.hash, right.hash)
  );
}

function pastClocksOf(state: NamespaceState, writes: readonly Write[]): PastByRecord {
  const asked = new Set(writes.map(nameOf));
  const records = new Set(writes.map(({ record }) => record));
  return pastByRecord(revisionsOf(state, records).filter((row) => asked.has(nameOf(row))));
}

function nameOf({ record, field, lamport, writer, hash }: Write): string {
  return JSON.stringify([record, field, lamport, writer, hash]);
}
