import { unpairedNamespace, type RecordId } from "@tidemark/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Observation } from "../store/observation.ts";
import type { Store } from "../store/store.ts";
import { put } from "../store/testing/world.ts";
import { testStore } from "../store/testing/test-store.ts";
import { fuse, type Nearness } from "./near.ts";
import { searchObservations } from "./search.ts";

let store: Store;
beforeEach(() => {
  store = testStore();
});
afterEach(() => {
  store.close();
});

function save(id: string, title: string): void {
  const saved = store.changes.change(unpairedNamespace, [put(id, { title })], 1);
  if (!saved.ok) throw new Error(saved.error.kind);
}

/** What is near, whatever is asked. */
function near(...ids: readonly string[]): Nearness {
  return {
    weight: 0.2,
    nearest: (filter, limit) => {
      const wanted = { ...filter, ids: ids as readonly RecordId[], limit: undefined, offset: 0 };
      const found = new Map(store.reads.list(wanted).map((each) => [each.id as string, each]));
      return ids.flatMap((id) => found.get(id) ?? []).slice(0, limit);
    },
  };
}

const one = (id: string): Observation => ({ namespace: "ns_1", id }) as unknown as Observation;
const idsOf = (list: readonly Observation[]): readonly string[] => list.map(({ id }) => id);

test("[RC32] what words find first stays first; what both find goes up; what is near alone comes in", () => {
  const words = ["a", "b", "c", "d", "e"].map(one);
  expect(idsOf(fuse(words, ["x", "y"].map(one), 0.2)).slice(0, 4)).toEqual(["a", "b", "c", "d"]);
  expect(idsOf(fuse(words, [one("e")], 0.2))).toEqual(["a", "b", "e", "c", "d"]);
  expect(idsOf(fuse([], ["x", "y"].map(one), 0.2))).toEqual(["x", "y"]);
  expect(idsOf(fuse(words, ["x", "e"].map(one), 0))).toEqual(["a", "b", "c", "d", "e", "x"]);
  expect(idsOf(fuse(words, ["x"].map(one), 1)).slice(0, 2)).toEqual(["a", "x"]);
});

test("[RC32] a search names what has none of its words, and counts it once", () => {
  save("record-words", "billing is broken");
  save("record-both", "the invoice of billing");
  save("record-meaning", "money was charged twice");
  save("record-other", "nothing of the kind");
  const found = searchObservations(
    store.reads,
    "billing",
    { limit: 10 },
    near("record-both", "record-meaning"),
  );
  expect(idsOf(found.items)).toEqual(["record-both", "record-words", "record-meaning"]);
  expect(found).toMatchObject({ total: 3, near: ["record-meaning"] });
  const none = searchObservations(store.reads, "zebra", { limit: 10 }, near("record-meaning"));
  expect(none).toMatchObject({ total: 1, near: ["record-meaning"] });
  expect(searchObservations(store.reads, "!?", {}, near("record-other")).total).toBe(1);
});

test("[RC32] pages of one search fit together, and a filter holds for what is near", () => {
  for (let at = 0; at < 30; at += 1) save(`record-${at}`, at % 3 === 0 ? "money" : "billing again");
  const nearness = near("record-0", "record-3", "record-4", "record-6", "record-29");
  const whole = searchObservations(store.reads, "billing", {}, nearness);
  const pages = [0, 7, 14, 21, 28].flatMap((offset) => {
    const page = searchObservations(store.reads, "billing", { limit: 7, offset }, nearness);
    expect(page.total).toBe(whole.items.length);
    return idsOf(page.items);
  });
  expect(pages).toEqual(idsOf(whole.items));
  expect(new Set(pages).size).toBe(23);
  const hidden = searchObservations(store.reads, "billing", { kinds: ["fix"] }, nearness);
  expect(hidden).toMatchObject({ items: [], total: 0, near: [] });
});

test("[RC32] what is found by words behind all that is looked at is counted with the words", () => {
  for (let at = 0; at < 230; at += 1) save(`record-${at}`, `billing ${at}`);
  const found = searchObservations(store.reads, "billing", { limit: 5 }, near("record-3"));
  expect(found.total).toBe(230);
});
