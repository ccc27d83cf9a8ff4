import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { isTombstone, type RecordId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { askPage, pair, pullAll, settle } from "../testing/exchange.ts";
import { testStore } from "../testing/test-store.ts";
import { at, id, make, namespace, put, set, world } from "../testing/world.ts";

test("[ST5] a page writes the search side that single changes write", () => {
  const { server, a, b } = world();
  for (let n = 0; n < 5; n += 1) make(a, put(`record${n}`, { title: `first${n}`, kind: "note" }));
  settle(a, server);
  pullAll(b, server, 2);
  make(a, set("record0", { title: "second" }), set("record1", { kind: "decision" }));
  make(a, set("record2", { archived: true }), { kind: "forget", id: id("record3") });
  settle(a, server);
  pullAll(b, server, 3);
  const found = (words: string): readonly string[] =>
    b.reads.search(words, {}).map(({ observation }) => observation.id);
  expect(found("first0")).toEqual([]);
  expect(found("second")).toEqual(["record0"]);
  expect(found("decision")).toEqual(["record1"]);
  expect(found("first2")).toEqual([]);
  expect(found("first3")).toEqual([]);
  expect(found("first4")).toEqual(["record4"]);
  expect(b.upkeep.check()).toEqual([]);
});

test("[ST5] what a page brought is indexed anew when it changes, whoever changes it", () => {
  const { server, a, b } = world();
  for (let n = 0; n < 4; n += 1) make(a, put(`record${n}`, { title: `first${n}`, kind: "note" }));
  settle(a, server);
  pullAll(b, server);
  make(b, set("record0", { title: "mine" }), set("record1", { pinned: true }));
  make(a, set("record2", { title: "theirs" }), set("record3", { pinned: true }));
  settle(a, server);
  pullAll(b, server);
  const found = (words: string): readonly string[] =>
    b.reads.search(words, {}).map(({ observation }) => observation.id);
  expect(found("first0")).toEqual([]);
  expect(found("mine")).toEqual(["record0"]);
  expect(found("first1")).toEqual(["record1"]);
  expect(found("first2")).toEqual([]);
  expect(found("theirs")).toEqual(["record2"]);
  expect(found("first3")).toEqual(["record3"]);
  expect(b.upkeep.check()).toEqual([]);
});

test("[ST5] a page takes nothing of what lies unsent over its records", () => {
  const { server, a, b } = world();
  make(a, put("record0", { title: "first", narrative: "theirs" }));
  settle(a, server);
  pullAll(b, server);
  make(b, set("record0", { title: "mine" }));
  make(a, set("record0", { narrative: "later" }));
  settle(a, server);
  pullAll(b, server);
  expect(b.reads.search("mine later", {}).map(({ observation }) => observation.id)).toEqual([
    "record0",
  ]);
  expect(b.upkeep.check()).toEqual([]);
});

test("[OP14] a child that comes with a page stays hidden where its parent was forgotten here", () => {
  const { server, a, b } = world();
  make(a, put("parent", { title: "above" }));
  settle(a, server);
  pullAll(b, server);
  make(a, put("child", { title: "below" }, "parent"));
  settle(a, server);
  b.changes.change(namespace, [{ kind: "forget", id: id("parent") }], at);
  pullAll(b, server);
  expect(b.reads.search("below", {})).toEqual([]);
  expect(b.upkeep.check()).toEqual([]);
});

test("[ST6] a page writes nothing into an index that waits to be rebuilt", () => {
  const { server, a } = world();
  make(a, put("record1", { title: "first" }));
  settle(a, server);
  const folder = mkdtempSync(join(tmpdir(), "tidemark-page-"));
  const path = join(folder, "store.db");
  const store = testStore({ path });
  const raw = new Sqlite(path);
  try {
    pair(store, server);
    raw.exec("INSERT INTO meta (key, value) VALUES ('search-damaged', '1')");
    pullAll(store, server);
    expect(store.reads.get(namespace, id("record1"))).toBeDefined();
    expect(raw.prepare("SELECT count(*) FROM search_docsize").pluck().get()).toBe(0);
    expect(store.upkeep.check()).toMatchObject([{ kind: "search" }]);
  } finally {
    raw.close();
    store.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test("[OP24] of records that a server has let pile up, a page and a view look at few", () => {
  const { server, a } = world();
  const count = 60;
  for (let n = 0; n < count; n += 1) make(a, put(`record${n}`, { title: `word${n}` }));
  settle(a, server);
  let asked = 0;
  const probe = (sql: string): void => {
    if (sql.includes("FROM records WHERE namespace = ? AND id = ?")) asked += 1;
  };
  const b = testStore({ probe });
  pair(b, server);
  const { plan, page } = askPage(b, server);
  const records = page.records.map((each, n) =>
    isTombstone(each.state) ? each : { ...each, state: { ...each.state, parent: above(n, count) } },
  );
  asked = 0;
  b.replicas.takePage(namespace, plan, { ...page, records });
  // Each record itself and at most four above it.
  expect(asked).toBeLessThanOrEqual(5 * count);
  expect(asked).toBeGreaterThan(count);
  asked = 0;
  expect(b.reads.get(namespace, id(`record${count - 1}`))?.fields["title"]).toBe(
    `word${count - 1}`,
  );
  expect(asked).toBeLessThanOrEqual(5);
});

/** Each below the one before it, and the first below the last. */
function above(n: number, count: number): RecordId {
  return id(`record${(n + count - 1) % count}`);
}
