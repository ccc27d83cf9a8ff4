import {
  compareText,
  generationsMax,
  type RecordId,
  type UserId,
  type WriterId,
} from "@tidemark/protocol";
import { serverLimits } from "../limits.ts";
import type { ChildRow, NamespaceReader, StoredRecord } from "../store/port.ts";
import { TransactionTooLarge } from "./transaction-too-large.ts";

/** What a plan has been given of the confirmed state. A plan asks only this. */
export interface Known {
  /** Undefined as a value: looked up, and there is none. */
  readonly records: Map<RecordId, StoredRecord | undefined>;
  /** Records that are there, of which nothing else was read. */
  readonly present: Set<RecordId>;
  /** Live children as stored, by their parents. */
  readonly children: Map<RecordId, ChildRow[]>;
  /** The same by their own ids. */
  readonly childById: Map<RecordId, ChildRow>;
  readonly users: Map<WriterId, UserId | undefined>;
}

/** What a plan asked for and was not given; it has to be made again. */
export interface Missing {
  readonly records: Set<RecordId>;
  /** Records of which it matters only whether they are there. */
  readonly names: Set<RecordId>;
  readonly parents: Set<RecordId>;
  readonly writers: Set<WriterId>;
}

/** Nothing known yet. */
export function emptyKnown(): Known {
  return {
    records: new Map(),
    present: new Set(),
    children: new Map(),
    childById: new Map(),
    users: new Map(),
  };
}

/** A record as it was stored before, as far as somebody asked: whole, or as a child alone. */
export function storedBefore(
  { records, childById }: Known,
  id: RecordId,
): StoredRecord | ChildRow | undefined {
  return records.get(id) ?? childById.get(id);
}

/** Nothing asked for yet. */
export function emptyMissing(): Missing {
  return { records: new Set(), names: new Set(), parents: new Set(), writers: new Set() };
}

/** Whether a plan had all it asked for. */
export function isComplete({ records, names, parents, writers }: Missing): boolean {
  return records.size + names.size + parents.size + writers.size === 0;
}

/**
 * Loads what is missing: one statement for each kind, one more for each generation of children.
 * Throws `TransactionTooLarge` where a transaction would come to hold more than it may (PS14).
 */
export async function load(tx: NamespaceReader, known: Known, missing: Missing): Promise<void> {
  const room = serverLimits.transaction.readBytesMax - bytesOf(known.records.values());
  const [records, present, , writers] = await Promise.all([
    missing.records.size > 0 ? readRecords(tx, [...missing.records], room) : [],
    missing.names.size > 0 ? tx.present([...missing.names]) : [],
    loadChildren(tx, known, missing.parents),
    missing.writers.size > 0 ? tx.writers([...missing.writers]) : [],
  ]);
  for (const id of present) known.present.add(id);
  for (const id of missing.names) if (!known.present.has(id)) known.records.set(id, undefined);
  for (const id of missing.records) if (!known.records.has(id)) known.records.set(id, undefined);
  for (const record of records) known.records.set(record.state.id, record);
  for (const writer of missing.writers) known.users.set(writer, undefined);
  for (const { writer, user } of writers) known.users.set(writer, user);
}

async function readRecords(
  tx: NamespaceReader,
  ids: readonly RecordId[],
  room: number,
): Promise<readonly StoredRecord[]> {
  const records = await tx.records(ids, room);
  if (bytesOf(records) > room) throw new TransactionTooLarge();
  return records;
}

/** Bytes that some records are stored in. */
export function bytesOf(records: Iterable<StoredRecord | undefined>): number {
  let bytes = 0;
  for (const record of records) bytes += record?.bytes ?? 0;
  return bytes;
}

// All generations that a forget reaches, so that it does not make the plan again for each.
async function loadChildren(
  tx: NamespaceReader,
  known: Known,
  parents: ReadonlySet<RecordId>,
): Promise<void> {
  let generation = [...parents];
  for (let level = 0; level < generationsMax && generation.length > 0; level += 1) {
    for (const parent of generation) known.children.set(parent, []);
    // In one order on every store, since the order of a family's seqs follows from it.
    const children = (await tx.children(generation)).toSorted((left, right) =>
      compareText(left.id, right.id),
    );
    for (const child of children) {
      known.childById.set(child.id, child);
      known.children.get(child.parent)?.push(child);
    }
    generation = children.map(({ id }) => id).filter((id) => !known.children.has(id));
  }
}
