import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NamespaceId } from "@tidemark/protocol";
import Sqlite from "better-sqlite3";
import { afterAll, expect, test } from "vitest";
import { openRepaired } from "../testing/damage.ts";
import { pair, pushOnce, settle } from "../testing/exchange.ts";
import { TestServer } from "../testing/test-server.ts";
import { seededRandom, testStore } from "../testing/test-store.ts";
import { at, make, namespace, put, set, title } from "../testing/world.ts";

const folder = mkdtempSync(join(tmpdir(), "tidemark-own-writes-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A device with a file of its own, and what it has noted. */
function device(name: string) {
  const path = join(folder, `${name}.db`);
  const store = testStore({ random: seededRandom(name), path });
  const raw = new Sqlite(path, { readonly: true });
  const noted = (): readonly unknown[] =>
    raw.prepare("SELECT record, field FROM own_writes ORDER BY record, field").raw().all();
  const close = (): void => {
    raw.close();
    store.close();
  };
  return { store, noted, close };
}

test("[OP27] what was written over is noted while something waits for it, and no longer", () => {
  const { store, noted, close } = device("a");
  const server = new TestServer(namespace);
  pair(store, server);
  make(store, put("record1", { title: "one" }), put("record2", { title: "one" }));
  expect(noted()).toEqual([]);
  server.refusals.set("record2", "quota");
  make(store, set("record1", { title: "two" }), set("record2", { title: "two" }));
  expect(noted()).toEqual([
    ["record1", "title"],
    ["record2", "title"],
  ]);
  pushOnce(store, server);
  settle(store, server);
  expect(noted()).toEqual([["record2", "title"]]);
  make(store, set("record1", { title: "three" }));
  expect(noted()).toEqual([["record2", "title"]]);
  for (const op of store.reads.rejected()) store.changes.dropRejected(op);
  settle(store, server);
  expect(noted()).toEqual([]);
  close();
});

test("[OP27] what was written over before pairing is known as such after it", () => {
  const { store, close } = device("b");
  const server = new TestServer(namespace);
  const personal = "personal" as NamespaceId;
  const before = [put("record1", { title: "one" }), set("record1", { title: "two" })];
  expect(store.changes.change(personal, before, at).ok).toBe(true);
  pair(store, server);
  server.refusals.set("record1", "quota");
  pushOnce(store, server, 1);
  server.refusals.clear();
  const [op] = store.reads.rejected();
  if (op === undefined) throw new Error("the first is refused");
  expect(store.changes.retryRejected(op, at).ok).toBe(true);
  settle(store, server);
  expect(server.state("record1")).toMatchObject({ registers: { title: { value: "two" } } });
  close();
});

test("[OP27] what stands there still is known as written over where the newest write was given up", () => {
  const { store, noted, close } = device("e");
  const server = new TestServer(namespace);
  pair(store, server);
  make(store, put("record1", { title: "one" }));
  settle(store, server);
  const say = (text: string, isTaken: boolean): void => {
    if (!isTaken) server.refusals.set("record1", "quota");
    make(store, set("record1", { title: text }));
    settle(store, server);
    server.refusals.clear();
  };
  say("two", false);
  say("three", true);
  say("four", false);
  const [two, four] = store.reads.rejected();
  if (two === undefined || four === undefined) throw new Error("two are refused");
  expect(store.changes.dropRejected(four)).toBe(1);
  expect(store.changes.retryRejected(two, at).ok).toBe(true);
  settle(store, server);
  expect(server.state("record1")).toMatchObject({ registers: { title: { value: "three" } } });
  expect([title(store), store.reads.rejected(), noted()]).toEqual(["three", [], []]);
  close();
});

test("[OP27] of what was written over only that is noted for which something older waits", () => {
  const { store, noted, close } = device("f");
  const server = new TestServer(namespace);
  pair(store, server);
  make(store, put("record1", { title: "one" }), set("record1", { title: "two" }));
  make(store, set("record1", { title: "three" }));
  expect(noted()).toHaveLength(2);
  pushOnce(store, server, 2);
  server.refusals.set("record1", "quota");
  settle(store, server);
  expect([store.reads.rejected().length, noted()]).toEqual([1, []]);
  close();
});

/** A device whose clock is damaged, as one is that was told of a far too high one. */
function damagedClock(name: string) {
  const made = device(name);
  const server = new TestServer(namespace);
  pair(made.store, server);
  make(made.store, put("record1", { title: "one" }));
  settle(made.store, server);
  made.store.replicas.takeHealed(namespace, {
    from: 1,
    records: [],
    tail: { head: 1, mark: "m", lamport: 1_000_000, digest: "", count: 0, refused: [] },
  });
  const refuse = (text: string): void => {
    server.refusals.set("record1", "quota");
    make(made.store, set("record1", { title: text }));
    pushOnce(made.store, server);
    server.refusals.clear();
  };
  return { ...made, server, refuse };
}

test.each([
  ["waited", "three", "waits"],
  ["was refused as well", "three", "is refused"],
  ["is said later", "later", "waits"],
])(
  "[CK4, OP27] where a damaged clock is repaired a refused value stays beneath what %s",
  (_, last, newer) => {
    const { store, server, refuse, close } = damagedClock(newer + last);
    refuse("two");
    if (newer === "waits") make(store, set("record1", { title: "three" }));
    else refuse("three");
    store.replicas.restampLamports(namespace);
    if (last === "later") make(store, set("record1", { title: "later" }));
    expect(title(store)).toBe(last);
    for (const op of store.reads.rejected().toReversed()) {
      expect(store.changes.retryRejected(op, at).ok).toBe(true);
    }
    settle(store, server);
    expect(server.state("record1")).toMatchObject({ registers: { title: { value: last } } });
    expect([title(store), store.reads.rejected()]).toEqual([last, []]);
    expect(store.upkeep.check()).toEqual([]);
    close();
  },
);

test("[CK4, OP27] what was noted goes along with a clock that is repaired", () => {
  const { store, server, refuse, noted, close } = damagedClock("n");
  refuse("two");
  make(store, set("record1", { title: "three" }));
  expect(noted()).toEqual([["record1", "title"]]);
  store.replicas.restampLamports(namespace);
  expect(noted()).toEqual([["record1", "title"]]);
  settle(store, server);
  for (const op of store.reads.rejected()) store.changes.retryRejected(op, at);
  settle(store, server);
  expect([title(store), store.reads.rejected(), noted()]).toEqual(["three", [], []]);
  close();
});

test("[OP27, ST14] what was written over is known as such after a repair of the database", () => {
  const { store, close } = device("d");
  const server = new TestServer(namespace);
  pair(store, server);
  make(store, put("record1", { title: "one" }));
  settle(store, server);
  server.refusals.set("record1", "quota");
  make(store, set("record1", { title: "two" }));
  settle(store, server);
  server.refusals.clear();
  make(store, set("record1", { title: "three" }));
  settle(store, server);
  close();
  const path = join(folder, "d.db");
  writeFileSync(path, readFileSync(path).fill(0, 0, 4096));
  const { store: repaired, repair } = openRepaired(path);
  expect(repair).toBeDefined();
  pair(repaired, server);
  settle(repaired, server);
  for (const op of repaired.reads.rejected()) repaired.changes.retryRejected(op, at);
  settle(repaired, server);
  expect([title(repaired), repaired.reads.rejected()]).toEqual(["three", []]);
  repaired.close();
});
