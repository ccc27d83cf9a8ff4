import type { NamespaceId, RecordId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { scrubbed, testStore } from "../store/testing/test-store.ts";
import type { Store } from "../store/store.ts";
import { searchObservations } from "./search.ts";
import { timelineOf } from "./timeline.ts";

const personal = "personal" as NamespaceId;

function storeWith(
  count: number,
  fields: (index: number) => Record<string, string | number>,
): Store {
  const store = testStore();
  for (let index = 0; index < count; index += 1) {
    const id = `observation-${index}` as RecordId;
    const put = {
      kind: "put",
      id,
      collection: "observation",
      fields: scrubbed({ title: `number ${index}`, createdAt: index, ...fields(index) }),
    } as const;
    store.changes.change(personal, [put], index);
  }
  return store;
}

function around(store: Store, index: number, reach = { before: 2, after: 2 }): readonly string[] {
  const anchor = store.reads.observation(personal, `observation-${index}` as RecordId);
  if (anchor === undefined) throw new Error("no anchor");
  return timelineOf(store.reads, anchor, reach).map(({ title }) => title);
}

test("[RC7] a timeline shows its observation between what was before and after, oldest first", () => {
  const store = storeWith(9, () => ({ project: "git:x/p" }));
  expect(around(store, 4)).toEqual(["number 2", "number 3", "number 4", "number 5", "number 6"]);
});

test("[RC7] observations of another project are not around", () => {
  const store = storeWith(9, (index) => ({ project: index % 2 === 0 ? "git:x/p" : "git:x/q" }));
  expect(around(store, 4)).toEqual([0, 2, 4, 6, 8].map((index) => `number ${index}`));
});

test("[RC7] without a project the session counts", () => {
  const store = storeWith(9, (index) => ({ session: index < 5 ? "s" : "t" }));
  expect(around(store, 4, { before: 1, after: 3 })).toEqual(["number 3", "number 4"]);
});

test("[RC7] observations of one moment are not lost", () => {
  const store = storeWith(5, () => ({ project: "git:x/p", createdAt: 7 }));
  expect(around(store, 3, { before: 5, after: 5 }).toSorted()).toEqual(
    [0, 1, 2, 3, 4].map((index) => `number ${index}`),
  );
});

test("[RC2] a search says how many there are, whatever the limit", () => {
  const store = storeWith(9, () => ({}));
  const answer = searchObservations(store.reads, "number", { limit: 2 });
  expect(answer.items.length).toBe(2);
  expect(answer.total).toBe(9);
});

test("[RC2] a search for nothing finds nothing", () => {
  const store = storeWith(1, () => ({}));
  expect(searchObservations(store.reads, "???", {})).toEqual({ items: [], total: 0 });
});

test("[QU5] what stands in quarantine takes no place of what happened around", () => {
  const store = storeWith(9, () => ({ project: "git:x/p" }));
  const hidden = new Set([2, 3, 5, 6].map((index) => `observation-${index}`));
  // As the store shows it: in a list with what is hidden, and of no trust.
  const list: typeof store.reads.list = (filter) =>
    store.reads.list(filter).map((one) => (hidden.has(one.id) ? { ...one, trust: 0 } : one));
  const anchor = store.reads.observation(personal, "observation-4" as RecordId);
  if (anchor === undefined) throw new Error("no anchor");
  const around = timelineOf({ list }, anchor, { before: 2, after: 2 });
  expect(around.map(({ title }) => title)).toEqual([0, 1, 4, 7, 8].map((n) => `number ${n}`));
});
