import {
  copyFileSync,
  existsSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { unpairedNamespace, type NamespaceId, type RecordId } from "@tidemark/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { repairFiles } from "../../platform/repair-files.ts";
import { storeFiles } from "../../platform/store-files.ts";
import { openStore } from "../open.ts";
import type { Store } from "../store.ts";
import { attempt } from "../store-error.ts";
import { memoryFolder, openRepaired, save, soundParts } from "../testing/damage.ts";
import { pair, settle } from "../testing/exchange.ts";
import { TestServer } from "../testing/test-server.ts";
import { scrubbed, seededRandom, testOptions, testStore } from "../testing/test-store.ts";
import { openSound } from "./open-sound.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = memoryFolder();
  path = join(folder, "tidemark.db");
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const asides = (): readonly string[] =>
  readdirSync(folder).filter((name) => name.includes(".damaged-") && !/-(?:wal|shm)$/.test(name));
const titles = (store: Store): readonly unknown[] =>
  store.reads
    .list({})
    .map(({ id }) => id)
    .toSorted();

/** A database as a kill leaves it: what was saved last stands in its log alone. */
function killedDatabase(seed: string, inFile: readonly string[], inLog: readonly string[]): string {
  const made = join(folder, `${seed}.db`);
  const first = testStore({ path: made, random: seededRandom(seed) });
  for (const id of inFile) save(first, unpairedNamespace, id, { title: id });
  first.close();
  const second = testStore({ path: made, random: seededRandom(`${seed} again`) });
  for (const id of inLog) save(second, unpairedNamespace, id, { title: id });
  const killed = join(folder, `killed-${seed}.db`);
  for (const end of ["", "-wal", "-shm"]) copyFileSync(`${made}${end}`, `${killed}${end}`);
  second.close();
  return killed;
}

function place(from: string, ...ends: readonly string[]): void {
  for (const end of ends) copyFileSync(`${from}${end}`, `${path}${end}`);
}

test("[ST16] a database that a kill left is sound: nothing is moved and nothing is missing", () => {
  place(killedDatabase("one", ["a"], ["b"]), "", "-wal", "-shm");
  const { store, repair } = openRepaired(path);
  expect([repair, titles(store), asides()]).toEqual([undefined, ["a", "b"], []]);
  store.close();
});

test("[ST18] a log of another database is not played into this one", () => {
  const other = killedDatabase("other", ["x"], ["y", "z"]);
  place(killedDatabase("one", ["a", "b"], ["c"]), "");
  copyFileSync(`${other}-wal`, `${path}-wal`);
  const { store, repair } = openRepaired(path);
  expect(repair?.cause).toContain("another database");
  expect(titles(store)).toEqual(["a", "b"]);
  expect(existsSync(`${repair?.aside ?? ""}-wal`)).toBe(true);
  store.close();
});

test("[ST18] a log that was taken away is told, with what it may have cost, and moves nothing", () => {
  place(killedDatabase("one", ["a"], ["b"]), "", "-shm");
  const { store, repair } = openRepaired(path);
  expect(repair).toMatchObject({ kind: "log-gone", aside: null });
  expect([titles(store), asides()]).toEqual([["a"], []]);
  store.close();
  const again = openRepaired(path);
  expect(again.repair).toBeUndefined();
  again.store.close();
});

test("[ST18] a hook that comes first leaves word of the log that was taken away", () => {
  place(killedDatabase("one", ["a"], ["b"]), "", "-shm");
  const hook = openStore({ ...testOptions("hook"), path, files: storeFiles });
  expect(hook.ok).toBe(true);
  const { store, repair } = openRepaired(path);
  expect(repair?.kind).toBe("log-gone");
  store.close();
  if (hook.ok) hook.value.close();
});

test("[ST16] without its shared memory a database is as sound as before", () => {
  place(killedDatabase("one", ["a"], ["b"]), "", "-wal");
  const { store, repair } = openRepaired(path);
  expect([repair, titles(store)]).toEqual([undefined, ["a", "b"]]);
  store.close();
});

test("[ST18] a file that was emptied beside its log gives the log up to nobody", () => {
  place(killedDatabase("one", [], ["a", "b"]), "", "-wal");
  truncateSync(path, 0);
  const hook = openStore({ ...testOptions("hook"), path, files: storeFiles });
  expect(hook).toMatchObject({ ok: false, error: { kind: "corrupt" } });
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
  const { store, repair } = openRepaired(path);
  expect(repair?.saved.changes).toBe(2);
  expect(titles(store)).toEqual(["a", "b"]);
  store.close();
});

test("[ST18] behind a ruined part of a log everything is read that is whole", () => {
  const ids = Array.from({ length: 12 }, (_, n) => `record${n}`);
  place(killedDatabase("one", ["a"], ids), "", "-wal");
  const frame = 24 + 4096;
  const log = readFileSync(`${path}-wal`);
  let lost = 0;
  for (let at = 32; at + 2 * frame <= log.length; at += 3 * frame) {
    rmSync(`${path}.checked`, { force: true });
    repairFiles.remove(path);
    place(killedDatabase(`no${at}`, ["a"], ids), "", "-wal");
    const bytes = readFileSync(`${path}-wal`);
    bytes[at + 24 + 100] = (bytes[at + 24 + 100] ?? 0) ^ 1;
    writeFileSync(`${path}-wal`, bytes);
    const { store, repair } = openRepaired(path);
    expect(repair?.cause).toContain("log");
    const { changes } = repair?.saved ?? { changes: 0 };
    expect(titles(store).length).toBe(changes);
    expect(changes + (repair?.missing.changes.count ?? 0)).toBe(13);
    lost += 13 - changes;
    store.close();
  }
  // What SQLite would drop is every save behind the ruined part; a page is written again and again.
  expect(lost).toBeLessThan(13);
});

test("[ST14] a solo device's whole memory waits in the outbox, and all of it is saved", () => {
  const one = killedDatabase("solo", ["a", "b", "c"], ["d"]);
  place(one, "", "-wal");
  writeFileSync(path, readFileSync(path).fill(0, 0, 4096));
  const log = readFileSync(`${path}-wal`);
  writeFileSync(`${path}-wal`, log);
  const { store, repair } = openRepaired(path);
  expect(repair === undefined || repair.saved.changes === 4).toBe(true);
  expect(titles(store)).toEqual(["a", "b", "c", "d"]);
  const server = new TestServer("ns_1" as NamespaceId);
  pair(store, server);
  settle(store, server);
  expect(server.states().length).toBe(4);
  store.close();
});

test("[ST15] what is saved beside a namespace that lost its row joins it when the server lists it", () => {
  const server = new TestServer("ns_1" as NamespaceId);
  const store = testStore({ path, random: seededRandom("a") });
  pair(store, server);
  save(store, server.namespace, "before", { title: "before" });
  store.close();
  ruinTable("replicas");
  const { store: mended } = openRepaired(path);
  expect(mended.replicas.replica(server.namespace)?.status).toBe("parked");
  save(mended, unpairedNamespace, "after", { title: "after" });
  mended.bindings.bind("project", unpairedNamespace);
  pair(mended, server);
  expect(mended.replicas.replica(unpairedNamespace)).toBeUndefined();
  expect(mended.bindings.namespaceOf("project")).toBe(server.namespace);
  settle(mended, server);
  expect(
    server
      .states()
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(["after", "before"]);
  expect(titles(mended)).toEqual(["after", "before"]);
  expect(mended.reads.search("after", {}).length).toBe(1);
  expect(mended.upkeep.check()).toEqual([]);
  mended.close();
});

test("[ST15, OP27] what was written over on either side of a lost row is no hindrance to joining", () => {
  const server = new TestServer("ns_1" as NamespaceId);
  const store = testStore({ path, random: seededRandom("a") });
  pair(store, server);
  const refuse = (device: Store, ...titles: readonly string[]): void => {
    server.refusals.set("record", "quota");
    for (const title of titles) save(device, device.bindings.personal(), "record", { title });
    pair(device, server);
    settle(device, server);
    server.refusals.clear();
  };
  refuse(store, "one", "two", "three");
  store.close();
  ruinTable("replicas");
  const { store: mended } = openRepaired(path);
  const before = new Set(mended.reads.rejected().map(({ writer }) => writer));
  refuse(mended, "after", "after all");
  expect(mended.reads.rejected()).toHaveLength(5);
  for (const op of mended.reads.rejected()) {
    if (before.has(op.writer)) mended.changes.dropRejected(op);
  }
  for (const op of mended.reads.rejected()) mended.changes.retryRejected(op, 1);
  settle(mended, server);
  expect(server.state("record")).toMatchObject({ registers: { title: { value: "after all" } } });
  mended.close();
});

// Zeroes the leaf of a table that has one page.
function ruinTable(name: string): void {
  const store = testStore({ path });
  store.close();
  const bytes = readFileSync(path);
  const root = rootOf(name);
  writeFileSync(path, bytes.fill(0, (root - 1) * 4096, root * 4096));
}

function rootOf(name: string): number {
  const db = new Sqlite(path);
  try {
    const row = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(name);
    return (row as { rootpage: number }).rootpage;
  } finally {
    db.close();
  }
}

test("[ST17] a store whose file was replaced takes no more writes, so none is lost with it", () => {
  const store = watchedStore();
  const mended = join(folder, "mended.db");
  testStore({ path: mended, random: seededRandom("b") }).close();
  repairFiles.swap(path, mended, `${path}.damaged-x`);
  expectNoWrite(store);
  store.close();
  expect(existsSync(path)).toBe(true);
});

/** An open store that looks after its files, with one observation in its log. */
function watchedStore(): Store {
  const opened = openStore({ ...testOptions("a"), path, files: storeFiles });
  if (!opened.ok) throw new Error("not opened");
  save(opened.value, unpairedNamespace, "before", { title: "before" });
  return opened.value;
}

/** The same, whose log is taken away. */
function withoutLog(): Store {
  const store = watchedStore();
  rmSync(`${path}-wal`);
  return store;
}

function expectNoWrite(store: Store): void {
  const put = {
    kind: "put",
    id: "after" as RecordId,
    collection: "observation",
    fields: scrubbed({ title: "after" }),
  } as const;
  expect(attempt(() => store.changes.change(unpairedNamespace, [put], 1))).toMatchObject({
    ok: false,
    error: { kind: "moved" },
  });
}

test("[ST27] a store whose log was taken away takes no more writes, and what the log held is kept", () => {
  const store = withoutLog();
  // The first lets go, and the second has nothing any more.
  expectNoWrite(store);
  expectNoWrite(store);
  expect(attempt(() => titles(store))).toMatchObject({ ok: false, error: { kind: "moved" } });
  // Nothing is closed here, as where a program is killed now.
  const { store: next, repair } = openRepaired(path);
  expect([repair?.kind, titles(next)]).toEqual(["log-gone", ["before"]]);
  next.close();
});

test("[ST27] a log that is taken away in the middle of a transaction ends it whole", () => {
  const store = watchedStore();
  const changed = attempt(() =>
    store.transact(() => {
      save(store, unpairedNamespace, "first", { title: "first" });
      rmSync(`${path}-wal`);
      save(store, unpairedNamespace, "second", { title: "second" });
      return true;
    }),
  );
  expect(changed).toMatchObject({ ok: false, error: { kind: "moved" } });
  const { store: next } = openRepaired(path);
  expect(titles(next)).toEqual(["before"]);
  next.close();
});

test("[ST27] a store whose log was replaced takes no more writes", () => {
  const store = withoutLog();
  writeFileSync(`${path}-wal`, "", { mode: 0o600 });
  expectNoWrite(store);
  expect(readFileSync(`${path}.suspect`, "utf8")).toBe("log-gone");
});

test("[ST28] nobody opens a database beside a program that has a log without a name", () => {
  const store = withoutLog();
  const hook = openStore({ ...testOptions("hook"), path, files: storeFiles });
  expect(hook).toMatchObject({ ok: false, error: { kind: "busy" } });
  const command = openSound({ ...testOptions("cli"), path }, soundParts("when-due"));
  expect(command).toMatchObject({ ok: false, error: { kind: "busy" } });
  expect(existsSync(`${path}-wal`)).toBe(false);
  store.close();
  const { store: next } = openRepaired(path);
  expect(titles(next)).toEqual(["before"]);
  next.close();
});

test("[ST28] where the database is gone as well, and only its shared memory is left, a new one begins", () => {
  testStore({ path }).close();
  rmSync(path);
  writeFileSync(`${path}-shm`, "");
  const { store } = openRepaired(path);
  save(store, unpairedNamespace, "new", { title: "new" });
  expect(titles(store)).toEqual(["new"]);
  store.close();
});

test("[ST17] while a database is repaired everybody else finds it busy", () => {
  testStore({ path }).close();
  repairFiles.beginMending(path, `${path}.damaged-x`);
  expect(openStore({ ...testOptions("hook"), path, files: storeFiles })).toMatchObject({
    ok: false,
    error: { kind: "busy" },
  });
  expect(
    openSound({ ...testOptions("cli"), path }, { ...soundParts(), lock: () => undefined }),
  ).toMatchObject({
    ok: false,
    error: { kind: "busy" },
  });
  const { store, repair } = openRepaired(path);
  expect(repair).toBeUndefined();
  store.close();
});
