import {
  collections,
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
  /** Whether live records stand below one: conflicts, or others (OP24). */
  hasChildren(id: RecordId, kind: "conflicts" | "others"): boolean;
  /**
   * Puts tombstones for all that is live below a record (TB10), and tells how many. None of them is
   * read for it: what a family holds may be more than fits in memory (TB12).
   */
  bury(id: RecordId, via: WriterId | undefined): number;
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
    hasChildren: (id, kind) =>
      childrenOf(id).some(
        ({ collection }) => (collection === collections.conflict) === (kind === "conflicts"),
      ),
    bury: (id, via) => {
      let buried = 0;
      const open = [...childrenOf(id)];
      for (let child = open.pop(); child !== undefined; child = open.pop()) {
        const before = entries.get(child.id);
        if (isGone(before)) continue;
        entries.set(child.id, {
          state: tombstone(child.id, child.collection),
          author: before?.author,
          bytesAdded: before?.bytesAdded ?? 0,
          via: via ?? before?.via,
        });
        buried += 1;
        for (const below of childrenOf(child.id)) open.push(below);
      }
      return buried;
    },
  };
}

function isGone(entry: Entry | undefined): boolean {
  return entry !== undefined && isTombstone(entry.state);
}
