import { expect, test } from "vitest";
import { settle } from "../testing/exchange.ts";
import { id, make, namespace, put, set, world } from "../testing/world.ts";

/** One device's view after two have set the titles of some records, in turn, unaware of each other. */
function disputed(...records: readonly string[]) {
  const { server, a, b } = world();
  make(a, ...records.map((record) => put(record, { title: "start" })));
  for (const store of [a, b]) settle(store, server);
  for (const record of records) {
    make(a, set(record, { title: `${record} of a` }));
    make(b, set(record, { title: `${record} of b` }));
  }
  for (const store of [a, b, a, b]) settle(store, server);
  return a;
}

test("[CF14] conflicts are read in parts, newest first, each with the value that stands", () => {
  const { reads } = disputed("one", "two", "three");
  const all = reads.conflicts();
  expect(all.map(({ record }) => record)).toEqual(["three", "two", "one"]);
  for (const { record, value, current } of all) {
    expect(new Set([value, current])).toEqual(new Set([`${record} of a`, `${record} of b`]));
  }
  expect(reads.conflicts({ limit: 2 })).toEqual(all.slice(0, 2));
  expect(reads.conflicts({ limit: 2, offset: 2 })).toEqual(all.slice(2));
  expect(reads.conflicts({ offset: 3 })).toEqual([]);
  expect(reads.conflicts({ record: id("two"), namespaces: [namespace] })).toEqual([all[1]]);
});

test("[CF14] one conflict is read by itself", () => {
  const { reads, changes } = disputed("one", "two");
  const [conflict] = reads.conflicts();
  if (conflict === undefined) throw new Error("there is one");
  expect(reads.conflict(namespace, conflict.id)).toEqual(conflict);
  expect(reads.conflict(namespace, id("one"))).toBeUndefined();
  changes.change(namespace, [{ kind: "forget", id: conflict.id }], 1);
  expect(reads.conflict(namespace, conflict.id)).toBeUndefined();
});
