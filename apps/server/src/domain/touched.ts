import { isTombstone, type RecordId } from "@tidemark/protocol";
import { emptyMissing, type Known, type Missing } from "./known.ts";

/** A record that a request names, under the parent that it names for it. */
export interface NamedRecord {
  readonly id: RecordId;
  readonly parent?: RecordId | undefined;
}

/** What a request surely touches. */
export interface Touched {
  /** Its records and their parents, which a plan is sure to ask for. */
  readonly missing: Missing;
  readonly named: readonly NamedRecord[];
}

/**
 * Gathers what a request touches. Whose children go with it is asked once the right to forget it is
 * known, for they may be many.
 */
export function touchedBy(named: readonly NamedRecord[]): Touched {
  const missing = emptyMissing();
  for (const { id, parent } of named) {
    missing.records.add(id);
    if (parent !== undefined) missing.records.add(parent);
  }
  return { missing, named };
}

/**
 * The touched records below some others, generation by generation: where a family goes, these may go
 * with it. A record that is there stands where it stood, whatever the request says.
 */
export function touchedBelow(
  { records }: Known,
  { missing, named }: Touched,
  roots: Iterable<RecordId>,
): ReadonlySet<RecordId> {
  const childrenByParent = new Map<RecordId, RecordId[]>();
  const add = (id: RecordId, parent: RecordId | undefined): void => {
    if (parent === undefined) return;
    const children = childrenByParent.get(parent) ?? [];
    childrenByParent.set(parent, children);
    children.push(id);
  };
  for (const id of missing.records) {
    const state = records.get(id)?.state;
    if (state !== undefined && !isTombstone(state)) add(id, state.parent);
  }
  for (const { id, parent } of named) if (records.get(id) === undefined) add(id, parent);
  const below = new Set<RecordId>();
  const parents = [...roots];
  for (const parent of parents) {
    for (const child of childrenByParent.get(parent) ?? []) {
      if (below.has(child)) continue;
      below.add(child);
      parents.push(child);
    }
  }
  return below;
}
