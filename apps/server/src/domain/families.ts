import {
  generationsMax,
  isTombstone,
  tombstone,
  type RecordId,
  type RecordState,
  type WriterId,
} from "@tidemark/protocol";
import type { ChildRow } from "../store/port.ts";
import type { Entry } from "./draft-entry.ts";
import type { Known, Missing } from "./known.ts";

/** Who stands below whom: what is stored, and what a transaction adds to it. */
export interface Families {
  /** Takes in a record that the transaction makes. */
  add(state: RecordState): void;
  /**
   * Puts tombstones for what is live below a record, as many generations as a forget reaches (TB10),
   * and tells which. None of them is read for it: what they hold may be more than fits in memory
   * (TB12).
   */
  bury(id: RecordId, via: WriterId | undefined): readonly RecordId[];
}

type Child = Pick<ChildRow, "id" | "collection">;

/** Starts from what is known; what is lacking goes to `missing`. */
export function createFamilies(
  known: Known,
  missing: Missing,
  entries: Map<RecordId, Entry>,
): Families {
  const addedByParent = new Map<RecordId, Child[]>();
  const childrenOf = (parent: RecordId): readonly Child[] => {
    const held = known.children.get(parent);
    if (held === undefined) missing.parents.add(parent);
    const all = [...(held ?? []), ...(addedByParent.get(parent) ?? [])];
    return all.filter(({ id }) => !isGone(entries.get(id)));
  };
  return {
    add: (state) => {
      if (isTombstone(state) || state.parent === undefined) return;
      const added = addedByParent.get(state.parent) ?? [];
      addedByParent.set(state.parent, added);
      added.push({ id: state.id, collection: state.collection });
    },
    bury: (id, via) => {
      const buried: RecordId[] = [];
      let parents: readonly RecordId[] = [id];
      for (let level = 0; level < generationsMax; level += 1) {
        const generation: RecordId[] = [];
        for (const child of parents.flatMap((parent) => childrenOf(parent))) {
          const before = entries.get(child.id);
          if (isGone(before)) continue;
          entries.set(child.id, {
            state: tombstone(child.id, child.collection),
            author: before?.author,
            bytesAdded: before?.bytesAdded ?? 0,
            via: via ?? before?.via,
          });
          generation.push(child.id);
          buried.push(child.id);
        }
        parents = generation;
      }
      return buried;
    },
  };
}

function isGone(entry: Entry | undefined): boolean {
  return entry !== undefined && isTombstone(entry.state);
}
