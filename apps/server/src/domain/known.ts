import {
  compareText,
  generationsMax,
  type RecordId,
  type UserId,
  type WriterId,
} from "@tidemark/protocol";
import type { ChildRow, NamespaceReader, StoredRecord } from "../store/port.ts";

/** What a plan has been given of the confirmed state. A plan asks only this. */
export interface Known {
  /** Undefined as a value: looked up, and there is none. */
  readonly records: Map<RecordId, StoredRecord | undefined>;
  /** Live children as stored, by their parents. */
  readonly children: Map<RecordId, ChildRow[]>;
  /** The same by their own ids. */
  readonly childById: Map<RecordId, ChildRow>;
  readonly users: Map<WriterId, UserId | undefined>;
}

/** What a plan asked for and was not given; it has to be made again. */
export interface Missing {
  readonly records: Set<RecordId>;
  readonly parents: Set<RecordId>;
  readonly writers: Set<WriterId>;
}

/** Nothing known yet. */
export function emptyKnown(): Known {
  return { records: new Map(), children: new Map(), childById: new Map(), users: new Map() };
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
  return { records: new Set(), parents: new Set(), writers: new Set() };
}

/** Whether a plan had all it asked for. */
export function isComplete(missing: Missing): boolean {
  return missing.records.size + missing.parents.size + missing.writers.size === 0;
}

/** Loads what is missing: one statement for each kind, one more for each generation of children. */
export async function load(tx: NamespaceReader, known: Known, missing: Missing): Promise<void> {
  const [records, , writers] = await Promise.all([
    missing.records.size > 0 ? tx.records([...missing.records]) : [],
    loadChildren(tx, known, missing.parents),
    missing.writers.size > 0 ? tx.writers([...missing.writers]) : [],
  ]);
  for (const id of missing.records) if (!known.records.has(id)) known.records.set(id, undefined);
  for (const record of records) known.records.set(record.state.id, record);
  for (const writer of missing.writers) known.users.set(writer, undefined);
  for (const { writer, user } of writers) known.users.set(writer, user);
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
