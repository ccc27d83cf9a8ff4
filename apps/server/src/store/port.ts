import type {
  Digest,
  NamespaceId,
  OpResult,
  PastClocks,
  RecordId,
  RecordState,
  Role,
  SetDigest,
  UserId,
  DeviceId,
  WriterId,
} from "@tidemark/protocol";
import type { KeyWrap, WriterInfo } from "@tidemark/protocol/wire";
import type { AccountStore } from "./accounts-port.ts";

/**
 * All that the rules of `domain/` and `auth/` need of a database. Two implementations, Postgres and
 * the in-memory twin of the tests, pass one contract suite.
 */
export interface Store {
  /**
   * Runs `work` in one write transaction on a namespace, with its head row locked until commit, so
   * that commit order equals seq order (PL1). Gives undefined when there is no such namespace.
   * A serialization failure or deadlock is retried with the same work; anything `work` throws rolls
   * everything back. Throws `StoreUnavailable` where the database cannot do it now, also when
   * the connection was lost during the commit and nobody knows its outcome, and `RowRefused` where
   * it does not take what a row holds.
   */
  writeNamespace<T>(
    namespace: NamespaceId,
    work: (tx: NamespaceWriter) => Promise<T>,
  ): Promise<T | undefined>;
  /** Runs `work` on one snapshot of a namespace (PL2). Undefined when there is none. */
  readNamespace<T>(
    namespace: NamespaceId,
    work: (tx: NamespaceReader) => Promise<T>,
  ): Promise<T | undefined>;
  /** Every namespace, for retention. */
  namespaceIds(): Promise<readonly NamespaceId[]>;
  /** What all namespaces hold, deleted ones that may come back included. */
  usage(): Promise<StoreUsage>;
  /** Deleted namespaces whose time to be restored is over: the oldest, at most so many. */
  expiredNamespaces(countMax: number): Promise<readonly NamespaceId[]>;
  /**
   * Takes part of an expired namespace out for good, at most `rowsMax` rows of each kind, or what
   * is left with its row, members, links and machines. True once it is gone; nothing happens to one
   * that is not deleted, or may still be restored.
   */
  purgeNamespace(namespace: NamespaceId, rowsMax: number): Promise<boolean>;
  readonly accounts: AccountStore;
  /** Whether the database answers. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}

/** What namespaces hold, as quotas count it. */
export interface StoreUsage {
  readonly namespaces: number;
  readonly records: number;
  readonly bytes: number;
  /** Of the namespace that has the most. */
  readonly recordsMost: number;
  readonly bytesMost: number;
}

/** Where a namespace stands. */
export interface Head extends SetDigest {
  /** The highest seq; 0 in an empty namespace. */
  readonly head: number;
  /** The random value stored with this head (MK1). */
  readonly mark: string;
  /** The highest lamport consumed. */
  readonly lamport: number;
  /** Live records and their bytes, for quotas; tombstones are not billed. */
  readonly liveCount: number;
  readonly liveBytes: number;
}

/** A record with its place in the namespace. */
export interface StoredRecord {
  readonly seq: number;
  readonly state: RecordState;
  readonly digest: Digest;
  /** Bytes of fields and clocks as stored; 0 for a tombstone. */
  readonly bytes: number;
  /** The writer that delivered it in a heal, where that was not its author. */
  readonly via?: WriterId | undefined;
  /**
   * The person who made it, known from the moment it was first stored here (NS6): clocks do not
   * tell, for whoever edits a field puts a clock of their own there. Undefined for a tombstone, and
   * where a heal brought it under a writer that the server does not know.
   */
  readonly author?: UserId | undefined;
}

/** A live record below another, without what it holds: a family may hold more than fits in memory. */
export interface ChildRow {
  readonly id: RecordId;
  readonly collection: string;
  readonly parent: RecordId;
  readonly digest: Digest;
  readonly bytes: number;
  readonly via?: WriterId | undefined;
}

/** A record as a page carries it: the line is spliced from stored text, never parsed. */
export interface PageLine {
  readonly seq: number;
  /** `{seq, …compact state}` as JSON text. */
  readonly line: string;
  /** Every writer that its clocks name. */
  readonly writers: readonly WriterId[];
}

/** What the server keeps of a writer. */
export interface WriterRow {
  readonly writer: WriterId;
  readonly device: DeviceId;
  readonly acked: number;
  readonly chain: string;
  readonly since: number;
  readonly results: readonly OpResult[];
}

/** A writer's row as a push stores it. */
export interface TakenWriter extends WriterRow {
  /** Changes that were stored by it; they are added to what its device has had stored that day. */
  readonly taken?: number | undefined;
}

/** How much of a record's history is read at once. */
export interface RevisionsRoom {
  readonly countMax: number;
  /** Of the values, as UTF-8. */
  readonly bytesMax: number;
}

/** A part of a record's history. */
export interface Revisions {
  readonly rows: readonly RevisionRow[];
  /** There are older ones. */
  readonly hasMore: boolean;
}

/** A value that a field once had. */
export interface RevisionRow {
  readonly record: RecordId;
  readonly field: string;
  /** Canonical JSON of the value. */
  readonly value: string;
  readonly lamport: number;
  readonly writer: WriterId;
  readonly at: number;
  readonly hash: string;
  readonly replacedByLamport: number;
  readonly replacedByWriter: WriterId;
  readonly via?: WriterId | undefined;
}

/** Which part of a bucket is read. */
export interface BucketPage {
  /** Undefined for the first. */
  readonly after: RecordId | undefined;
  readonly countMax: number;
}

/** What a device may do in a namespace at this moment. */
export interface Access {
  readonly user: UserId;
  readonly role: Role;
}

/** An entry of a membership log, and the epoch at which the log stands with it. */
export interface LogRow {
  /** From 0. */
  readonly place: number;
  readonly entry: string;
  readonly epoch: number;
}

/** Which records somebody looks for. */
export interface BrowseQuery {
  readonly collection: string;
  /** Only records below this seq. */
  readonly before: number | undefined;
  /** Only records that hold all of these, in small or capital letters; as JSON text has them. */
  readonly words: readonly string[];
  readonly countMax: number;
  /** How many records are looked through for the words. */
  readonly scanMax: number;
  /** Bytes that are found; the record that no longer fits is the last, so one at least is. */
  readonly bytesMax: number;
}

/** What was found, and how far down was looked; without `below` there is no older record. */
export interface BrowsedPart {
  readonly records: readonly StoredRecord[];
  readonly below: number | undefined;
}

/** Heads at the end of days, which are counted from 1970, in UTC. */
export interface HeadsByDay {
  readonly before: number;
  readonly days: readonly { readonly day: number; readonly head: number }[];
}

/** What a device has had taken in a namespace, over all of its writers. */
export interface DeviceWork {
  readonly device: DeviceId;
  readonly deviceName: string;
  readonly user: UserId;
  readonly userName: string;
  readonly ops: number;
  readonly lastSeenAtMs: number | undefined;
  readonly isLetIn: boolean;
}

/** A value that one write put into a field. */
export interface Write {
  readonly record: RecordId;
  readonly field: string;
  readonly lamport: number;
  readonly writer: WriterId;
  /** Of the value. */
  readonly hash: string;
}

/** What fields once held, by record. */
export type PastByRecord = ReadonlyMap<RecordId, PastClocks>;

/** Reads of one namespace, all from one snapshot. */
export interface NamespaceReader {
  head(): Promise<Head>;
  /** Undefined when the device is unknown or revoked, or its person is no member. */
  access(device: DeviceId): Promise<Access | undefined>;
  writer(writer: WriterId): Promise<WriterRow | undefined>;
  /** Rows of many writers at once; unknown ones are left out. */
  writerRows(writers: readonly WriterId[]): Promise<readonly WriterRow[]>;
  /**
   * Records with `seq` above `after` in seq order: at most `countMax`, and about `bytesMax` bytes
   * but at least one.
   */
  page(after: number, countMax: number, bytesMax: number): Promise<readonly PageLine[]>;
  /**
   * Some records. Of those that hold more than `bytesMax` together, as many are given as fit and one
   * that no longer does: no more than that is read.
   */
  records(ids: readonly RecordId[], bytesMax?: number): Promise<readonly StoredRecord[]>;
  /** Which of these are there, live or forgotten. */
  present(ids: readonly RecordId[]): Promise<readonly RecordId[]>;
  /** Live records whose parent is one of these. */
  children(parents: readonly RecordId[]): Promise<readonly ChildRow[]>;
  /** How many live conflicts a record has, counted no further than to `countMax`. */
  conflictCount(record: RecordId, countMax: number): Promise<number>;
  /** One entry a bucket, 256 in all. */
  bucketDigests(): Promise<readonly SetDigest[]>;
  /** By id: all of a bucket, or of those above `after` at most `countMax`. */
  bucket(bucket: number, page?: BucketPage): Promise<readonly (readonly [RecordId, Digest])[]>;
  /** The mark stored with a head, where it is still known. */
  markOf(head: number): Promise<string | undefined>;
  /**
   * Where the namespace stood at a wall time, as far as marks still tell: the highest head that was
   * stored by then, 0 where there is none. Undefined where the device has not written here.
   */
  placeOf(device: DeviceId, atMs: number): Promise<number | undefined>;
  /** Who stands behind writers; unknown ones are left out. */
  writers(writers: readonly WriterId[]): Promise<readonly WriterInfo[]>;
  /** Live records of one collection, newest first, for people to read. */
  browse(query: BrowseQuery): Promise<BrowsedPart>;
  /** The highest head that was stored before a wall time, and on each day since then. */
  headsByDay(sinceMs: number): Promise<HeadsByDay>;
  /** Who has written here, most recently seen first. */
  deviceWork(): Promise<readonly DeviceWork[]>;
  /** The newest, newest first: as many as fit, at least one. */
  revisions(record: RecordId, room: RevisionsRoom): Promise<Revisions>;
  /**
   * Which of these writes stood in their fields and were replaced since, for heals. One clock may
   * have written many values, by a device that is copied or means harm: only those asked for are told.
   */
  pastClocks(writes: readonly Write[]): Promise<PastByRecord>;
  /** The last entry of the membership log; undefined in a namespace that is not encrypted. */
  logEnd(): Promise<LogRow | undefined>;
  /** The entry by which the newest epoch began; undefined in a namespace that is not encrypted. */
  epochBeginning(): Promise<LogRow | undefined>;
  /** All entries, in their order. */
  log(): Promise<readonly string[]>;
  /** The keys that were wrapped for a device, by epoch. */
  wraps(recipient: string): Promise<readonly KeyWrap[]>;
  /** Of which epochs keys were wrapped for each that has any, ascending. */
  wrappedEpochs(): Promise<ReadonlyMap<string, readonly number[]>>;
}

/** Writes of one namespace, under its head-row lock. */
export interface NamespaceWriter extends NamespaceReader {
  /** Inserts or replaces. */
  saveRecords(records: readonly StoredRecord[]): Promise<void>;
  addRevisions(revisions: readonly RevisionRow[]): Promise<void>;
  /** Erases the revisions of forgotten records. */
  eraseRevisions(records: readonly RecordId[]): Promise<void>;
  saveWriters(writers: readonly TakenWriter[]): Promise<void>;
  /**
   * How many changes each of these devices has had stored here since the day began, in UTC by the
   * store's clock (QT4); a device that had none may be left out.
   */
  takenToday(devices: readonly DeviceId[]): Promise<ReadonlyMap<DeviceId, number>>;
  /** Stores the head; a moved head stores its mark too. */
  saveHead(head: Head): Promise<void>;
  /** Erases revisions that were replaced before a wall time, at most so many; gives how many. */
  trimRevisions(beforeMs: number, rowsMax: number): Promise<number>;
  /**
   * Thins marks stored before a wall time to every `keepEvery`th head, at most so many; gives how
   * many went. The newest stays.
   */
  trimMarks(beforeMs: number, keepEvery: number, rowsMax: number): Promise<number>;
  addLog(rows: readonly LogRow[]): Promise<void>;
  /** Inserts or replaces. */
  saveWraps(wraps: readonly KeyWrap[]): Promise<void>;
}
