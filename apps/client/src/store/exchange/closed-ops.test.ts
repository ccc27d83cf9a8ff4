/** What was not sent yet where keys of its namespace are gone from this device for a while. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { isTombstone } from "@tidemark/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pair, settle } from "../testing/exchange.ts";
import { box as namespace, boxKeys as keysOf, boxLog as logAt } from "../testing/sealed-box.ts";
import { TestServer } from "../testing/test-server.ts";
import { seededRandom, testStore } from "../testing/test-store.ts";
import { at, id, put, set } from "../testing/world.ts";
import type { Change } from "../local-store.ts";
import type { Store } from "../store.ts";

let folder = "";
let server: TestServer;
let opens = 0;
const open: Store[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-closed-"));
  server = new TestServer(namespace);
});
afterEach(() => {
  for (const store of open.splice(0)) store.close();
  rmSync(folder, { recursive: true, force: true });
});

function device(name: string): Store {
  const store = testStore({
    random: seededRandom(`${name} ${(opens += 1)}`),
    path: join(folder, `${name}.db`),
  });
  open.push(store);
  return store;
}

function paired(name: string, epoch: number, ...epochs: readonly number[]): Store {
  const store = device(name);
  store.replicas.takeSealing(logAt(epoch), keysOf(...epochs));
  pair(store, server);
  return store;
}

/** The same device once those keys went with a page of its database. */
function without(name: string, store: Store, ...epochs: readonly number[]): Store {
  store.close();
  open.splice(open.indexOf(store), 1);
  const raw = new Sqlite(join(folder, `${name}.db`));
  for (const epoch of epochs) raw.prepare("DELETE FROM namespace_keys WHERE epoch = ?").run(epoch);
  raw.close();
  return device(name);
}

function make(store: Store, ...changes: readonly Change[]): void {
  const made = store.changes.change(namespace, changes, at);
  if (!made.ok) throw new Error(made.error.kind);
}

const titleOf = (store: Store, record: string) =>
  store.reads.get(namespace, id(record))?.fields["title"];

test("[EE30] what was sealed under a key that is gone waits for it, through a fork, and goes then", () => {
  const before = paired("a", 1, 1);
  make(before, put("record1", { title: "one" }), put("record2", { title: "two" }));
  make(before, set("record1", { title: "one more" }));
  const a = without("a", before, 0, 1);
  a.replicas.renewWriters();
  expect(a.reads.rejected().map(({ code }) => code)).toEqual(["no-key", "no-key", "no-key"]);
  expect(a.reads.search('"one"', {})).toEqual([]);
  a.replicas.takeSealing(logAt(1), keysOf(1));
  expect(a.reads.rejected()).toEqual([]);
  expect([titleOf(a, "record1"), titleOf(a, "record2")]).toEqual(["one more", "two"]);
  expect(settle(a, server)).toBe(0);
  const b = paired("b", 1, 1);
  settle(b, server);
  expect([titleOf(b, "record1"), titleOf(b, "record2")]).toEqual(["one more", "two"]);
  expect([a.reads.conflicts(), b.reads.conflicts()]).toEqual([[], []]);
});

test("[EE30] what can be read goes on meanwhile, and what was done to a closed record waits with it", () => {
  const before = paired("a", 2, 1, 2);
  make(before, put("closed", { title: "sealed under the second key" }));
  const between = without("a", before, 2);
  between.replicas.renewWriters();
  make(
    between,
    set("closed", { narrative: "made without that key" }),
    put("open", { title: "open" }),
  );
  const a = without("a", between);
  a.replicas.renewWriters();
  expect(a.reads.rejected().map(({ record }) => record)).toEqual([id("closed"), id("closed")]);
  a.replicas.takeSealing(logAt(3), keysOf(1, 3));
  expect(settle(a, server)).toBe(0);
  expect(server.states().map((state) => state.id)).toEqual([id("open")]);
  a.replicas.takeSealing(logAt(3), keysOf(2));
  expect(a.reads.rejected()).toEqual([]);
  expect(settle(a, server)).toBe(0);
  const b = paired("b", 3, 1, 2, 3);
  settle(b, server);
  expect(b.reads.get(namespace, id("closed"))?.fields).toEqual({
    title: "sealed under the second key",
    narrative: "made without that key",
  });
  expect(b.reads.conflicts()).toEqual([]);
});

test("[EE30] a newer key seals nothing anew that does not open, and it goes once its own key is back", () => {
  const before = paired("a", 1, 1);
  make(before, put("record1", { title: "one" }), put("record2", { title: "two" }));
  const a = without("a", before, 1);
  a.replicas.takeSealing(logAt(2), keysOf(2));
  make(a, put("record3", { title: "three" }));
  expect(settle(a, server)).toBe(0);
  expect(server.states().map((state) => state.id)).toEqual([id("record3")]);
  a.replicas.takeSealing(logAt(2), keysOf(1));
  expect(settle(a, server)).toBe(0);
  const b = paired("b", 2, 1, 2);
  settle(b, server);
  const titles = ["record1", "record2", "record3"].map((record) => titleOf(b, record));
  expect(titles).toEqual(["one", "two", "three"]);
});

test("[EE30] what was done to one record under several keys waits for the last of them", () => {
  const before = paired("a", 2, 1, 2);
  make(before, put("record1", { title: "one" }));
  const between = without("a", before, 2);
  between.replicas.renewWriters();
  between.replicas.takeSealing(logAt(3), keysOf(1, 3));
  make(between, set("record1", { narrative: "told" }));
  const a = without("a", between, 3);
  a.replicas.renewWriters();
  const writer = a.replicas.replica(namespace)?.writer;
  a.replicas.takeSealing(logAt(3), keysOf(3));
  expect(settle(a, server)).toBe(0);
  expect(a.reads.rejected().map(({ code }) => code)).toEqual(["no-key", "no-key"]);
  expect(a.replicas.replica(namespace)?.writer).toBe(writer);
  a.replicas.takeSealing(logAt(3), keysOf(2));
  expect(settle(a, server)).toBe(0);
  const b = paired("b", 3, 1, 2, 3);
  settle(b, server);
  expect(b.reads.get(namespace, id("record1"))?.fields).toEqual({
    title: "one",
    narrative: "told",
  });
  expect(b.reads.conflicts()).toEqual([]);
});

test("[EE30, CL20] whoever goes on under a new writer for want of a key has to pull before it is synced", () => {
  const before = paired("a", 1, 1);
  settle(before, server);
  make(before, put("record1", { title: "one" }));
  const a = without("a", before, 1);
  a.replicas.takeSealing(logAt(2), keysOf(2));
  const isVerified = (): boolean | undefined => a.replicas.replica(namespace)?.verified;
  expect([isVerified(), a.replicas.resealRefused(namespace), isVerified()]).toEqual([
    true,
    true,
    false,
  ]);
  settle(a, server);
  a.replicas.takeSealing(logAt(2), keysOf(1));
  expect(isVerified()).toBe(false);
});

test("[EE30] a forget waits for no key, whether its record was set aside before or is with it", () => {
  const before = paired("a", 1, 1);
  make(before, put("first", { title: "one" }), put("second", { title: "one" }));
  settle(before, server);
  before.replicas.takeSealing(logAt(2), keysOf(2));
  make(before, set("first", { title: "two" }), set("second", { title: "two" }));
  make(before, { kind: "forget", id: id("first") });
  const a = without("a", before, 2);
  a.replicas.renewWriters();
  make(a, { kind: "forget", id: id("second") });
  a.replicas.renewWriters();
  expect(a.reads.rejected().map(({ op, code }) => [op, code])).toEqual([
    ["set", "no-key"],
    ["set", "no-key"],
  ]);
  a.replicas.takeSealing(logAt(3), keysOf(3));
  expect(settle(a, server)).toBe(0);
  expect(server.states().map(isTombstone)).toEqual([true, true]);
  a.replicas.takeSealing(logAt(3), keysOf(2));
  expect(settle(a, server)).toBe(0);
  expect(a.reads.rejected()).toEqual([]);
});

test("[EE30, OP20] what waits for a key is not issued anew without it", () => {
  const before = paired("a", 1, 1);
  make(before, put("record1", { title: "one" }));
  const a = without("a", before, 0, 1);
  a.replicas.renewWriters();
  const [op] = a.reads.rejected();
  if (op === undefined) throw new Error("nothing was set aside");
  expect(a.changes.retryRejected(op, at)).toEqual({
    ok: false,
    error: { kind: "closed", namespace },
  });
  expect(a.reads.rejected()).toEqual([op]);
});

test.each([
  ["the key", [1]],
  ["all keys", [0, 1]],
] as const)(
  "[EE30, OP20] what was refused is not issued anew while %s it was sealed under is gone",
  (_, epochs) => {
    const before = paired("a", 1, 1);
    server.refusals.set(id("record1"), "quota");
    make(before, put("record1", { title: "one" }), put("record2", { title: "two" }));
    expect(settle(before, server)).toBe(0);
    server.refusals.clear();
    before.replicas.takeSealing(logAt(2), keysOf(2));
    const a = without("a", before, ...epochs);
    const [op] = a.reads.rejected();
    if (op === undefined) throw new Error("nothing was refused");
    const closed = { ok: false, error: { kind: "closed", namespace } };
    expect(a.changes.retryRejected(op, at)).toEqual(closed);
    expect(a.changes.mendRejected(op, () => undefined)).toEqual(closed);
    expect(a.reads.rejected()).toEqual([op]);
    a.replicas.takeSealing(logAt(2), keysOf(1, 2));
    expect(a.changes.retryRejected(op, at)).toMatchObject({ ok: true });
    settle(a, server);
    expect([titleOf(a, "record1"), a.reads.rejected()]).toEqual(["one", []]);
  },
);

test("[EE30, OP27] what was given up while its key was gone keeps nothing back once it is here", () => {
  const before = paired("a", 1, 1);
  make(before, put("record1", { title: "one" }));
  settle(before, server);
  server.refusals.set(id("record1"), "quota");
  make(before, set("record1", { title: "two" }), set("record1", { title: "three" }));
  expect(settle(before, server)).toBe(0);
  server.refusals.clear();
  const a = without("a", before, 0, 1);
  const [two, three] = a.reads.rejected();
  if (two === undefined || three === undefined) throw new Error("two are refused");
  expect(a.changes.dropRejected(three)).toBe(1);
  a.replicas.takeSealing(logAt(1), keysOf(1));
  expect(a.changes.retryRejected(two, at)).toMatchObject({ ok: true, value: [{ changed: true }] });
  settle(a, server);
  expect([titleOf(a, "record1"), a.reads.rejected()]).toEqual(["two", []]);
});

test.each(["a put", "a set"])(
  "[EE39] %s that was refused is not put over what was written over it and waits for a key",
  (what) => {
    const before = paired("a", 1, 1);
    if (what === "a set") {
      make(before, put("record1", { title: "none" }));
      settle(before, server);
    }
    server.refusals.set(id("record1"), "quota");
    make(
      before,
      what === "a put" ? put("record1", { title: "one" }) : set("record1", { title: "one" }),
    );
    expect(settle(before, server)).toBe(0);
    before.replicas.takeSealing(logAt(2), keysOf(2));
    make(before, set("record1", { title: "two" }));
    const a = without("a", before, 2);
    a.replicas.renewWriters();
    server.refusals.clear();
    const retryAll = (): readonly unknown[] =>
      a.reads.rejected().map((op) => {
        const retried = a.changes.retryRejected(op, at);
        return retried.ok || retried.error.kind;
      });
    expect(retryAll()).toEqual(["closed", "closed"]);
    a.replicas.takeSealing(logAt(3), keysOf(2, 3));
    settle(a, server);
    retryAll();
    settle(a, server);
    const b = paired("b", 3, 1, 2, 3);
    settle(b, server);
    expect([titleOf(a, "record1"), titleOf(b, "record1")]).toEqual(["two", "two"]);
    expect(a.reads.rejected()).toEqual([]);
    expect(b.reads.conflicts().map(({ value }) => value)).not.toContain("two");
  },
);

test("[EE30, OP27] what waits for a key goes into no put that is sent again", () => {
  const before = paired("a", 1, 1);
  server.refusals.set(id("record1"), "quota");
  make(before, put("record1", { title: "one" }), set("record1", { title: "two" }));
  expect(settle(before, server)).toBe(0);
  server.refusals.clear();
  before.replicas.takeSealing(logAt(2), keysOf(2));
  make(before, set("record1", { narrative: "told" }));
  const a = without("a", before, 2);
  a.replicas.renewWriters();
  const [op] = a.reads.rejected();
  if (op === undefined) throw new Error("the put is refused");
  expect(a.changes.retryRejected(op, at)).toMatchObject({ ok: true });
  expect(a.reads.rejected()).toMatchObject([{ code: "no-key" }]);
  a.replicas.takeSealing(logAt(2), keysOf(2));
  settle(a, server);
  const b = paired("b", 2, 1, 2);
  settle(b, server);
  expect(b.reads.get(namespace, id("record1"))?.fields).toEqual({
    title: "two",
    narrative: "told",
  });
});

test("[EE30, OP27] what was given up while its key alone was gone counts for nothing once that is here", () => {
  const before = paired("a", 1, 1);
  make(before, put("record1", { title: "one" }));
  settle(before, server);
  server.refusals.set(id("record1"), "quota");
  make(before, set("record1", { title: "two" }));
  settle(before, server);
  before.replicas.takeSealing(logAt(2), keysOf(2));
  make(before, set("record1", { title: "three" }));
  expect(settle(before, server)).toBe(0);
  server.refusals.clear();
  const a = without("a", before, 2);
  const [two, three] = a.reads.rejected();
  if (two === undefined || three === undefined) throw new Error("two are refused");
  expect(a.changes.dropRejected(three)).toBe(1);
  a.replicas.takeSealing(logAt(2), keysOf(2));
  const b = paired("b", 2, 1, 2);
  settle(b, server);
  for (const title of ["x", "y", "of b"]) make(b, set("record1", { title }));
  settle(b, server);
  settle(a, server);
  expect(titleOf(a, "record1")).toBe("of b");
  expect(a.changes.retryRejected(two, at)).toMatchObject({ ok: true, value: [{ changed: true }] });
  settle(a, server);
  expect(titleOf(a, "record1")).toBe("two");
});

test("[CK4, EE1] where a damaged clock is repaired a refused sealed value stays beneath what waits, and opens", () => {
  const a = paired("a", 1, 1);
  make(a, put("record1", { title: "one" }));
  settle(a, server);
  const tail = { head: 1, mark: "m", lamport: 1_000_000, digest: "", count: 0, refused: [] };
  a.replicas.takeHealed(namespace, { from: 1, records: [], tail });
  make(a, set("record1", { title: "two", narrative: "kept" }));
  server.refusals.set("record1", "quota");
  settle(a, server);
  server.refusals.clear();
  make(a, set("record1", { title: "three" }));
  a.replicas.restampLamports(namespace);
  expect(a.reads.get(namespace, id("record1"))?.fields).toEqual({
    title: "three",
    narrative: "kept",
  });
  const lines = a.replicas.planPush(namespace, { ops: 9, bytes: 99_999 })?.lines ?? [];
  expect(lines.map((line) => (JSON.parse(line) as { lamport: number }).lamport)).toEqual([3]);
  for (const op of a.reads.rejected()) expect(a.changes.retryRejected(op, at).ok).toBe(true);
  settle(a, server);
  const b = paired("b", 1, 1);
  settle(b, server);
  const fields = { title: "three", narrative: "kept" };
  for (const store of [a, b])
    expect(store.reads.get(namespace, id("record1"))?.fields).toEqual(fields);
  expect(a.reads.rejected()).toEqual([]);
});
