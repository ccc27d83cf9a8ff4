import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  chmodSync,
  readdirSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import Sqlite from "better-sqlite3";
import { fail, type NamespaceId, type RecordId } from "@tidemark/protocol";
import { afterEach, expect, test } from "vitest";
import { migrate } from "./migrate.ts";
import { migrations } from "./migrations/index.ts";
import { openStore } from "./open.ts";
import { isAtLeastVersion, openDatabase } from "./sqlite.ts";
import type { Store } from "./store.ts";
import { attempt, storeErrorOf } from "./store-error.ts";
import { scrubbed, testOptions, testStore } from "./testing/test-store.ts";

const folders: string[] = [];
const personal = "personal" as NamespaceId;

function home(): string {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-store-"));
  folders.push(folder);
  return folder;
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function save(store: Store, id: string): boolean {
  const fields = scrubbed({ title: `title ${id}` });
  const put = { kind: "put", id: id as RecordId, collection: "observation", fields } as const;
  return store.changes.change(personal, [put], 1).ok;
}

test("[ST1] a store is in WAL with full synchronisation, and says so itself", () => {
  const path = join(home(), "tidemark.db");
  const store = testStore({ path });
  expect(store.upkeep.facts()).toMatchObject({ journalMode: "wal", synchronous: 2 });
  expect(isAtLeastVersion(store.upkeep.facts().sqliteVersion, "3.51.3")).toBe(true);
  store.close();
});

test("[ST1] versions are compared by number, part by part", () => {
  expect(isAtLeastVersion("3.51.3", "3.51.3")).toBe(true);
  expect(isAtLeastVersion("3.100.0", "3.51.3")).toBe(true);
  expect(isAtLeastVersion("3.51.2", "3.51.3")).toBe(false);
  expect(isAtLeastVersion("3.51", "3.51.3")).toBe(false);
});

test("[ST10] database and side files are readable by their owner alone", () => {
  const folder = home();
  const store = testStore({ path: join(folder, "tidemark.db") });
  save(store, "record1");
  const files = readdirSync(folder);
  expect(files.toSorted()).toEqual(["tidemark.db", "tidemark.db-shm", "tidemark.db-wal"]);
  for (const name of files) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  store.close();
});

test("[ST2] a transaction that gives a promise does not compile, and is refused if it did", () => {
  const store = testStore();
  // @ts-expect-error -- a promise is no result of a transaction
  expect(() => store.transact(async () => Promise.resolve(1))).toThrow(TypeError);
  expect(store.transact(() => 7)).toBe(7);
});

test("[ST3] a store that is opened again holds what it held", () => {
  const path = join(home(), "tidemark.db");
  const first = testStore({ path });
  save(first, "record1");
  first.close();
  const second = testStore({ path });
  expect(second.reads.list({}).map(({ id }) => id)).toEqual(["record1"]);
  second.close();
});

test("[ST3] a migration that fails leaves the database at a whole number of migrations", () => {
  const path = join(home(), "tidemark.db");
  const db = openDatabase({ path, busyTimeoutMs: 100 });
  const broken = [...migrations, { id: "x", sql: "CREATE TABLE half (a); SELECT no_such_thing;" }];
  expect(() => {
    migrate(db, broken);
  }).toThrow("no_such_thing");
  expect(db.pragma("user_version")).toBe(migrations.length);
  expect(db.get("SELECT name FROM sqlite_master WHERE name = 'half'")).toBeUndefined();
  migrate(db, [...migrations, { id: "x", sql: "CREATE TABLE half (a)" }]);
  expect(db.pragma("user_version")).toBe(migrations.length + 1);
  db.close();
});

test("[ST4] a database of a newer program is refused untouched, with the way out", () => {
  const path = join(home(), "tidemark.db");
  const raw = new Sqlite(path);
  raw.pragma("user_version = 99");
  raw.close();
  expect(openStore({ ...testOptions(), path })).toMatchObject({
    ok: false,
    error: { kind: "newer-database", hint: expect.stringContaining("update tidemark") as string },
  });
  const again = new Sqlite(path);
  expect(again.pragma("user_version", { simple: true })).toBe(99);
  again.close();
});

test("[ST4] a program that is open when a newer one changes the schema writes no more, and says why", () => {
  const path = join(home(), "tidemark.db");
  const store = testStore({ path });
  save(store, "record1");
  const raw = new Sqlite(path);
  raw.pragma(`user_version = ${migrations.length + 1}`);
  const refused = {
    ok: false,
    error: { kind: "newer-database", hint: expect.stringContaining("start this program again") },
  };
  expect(attempt(() => save(store, "record2"))).toMatchObject(refused);
  expect(raw.prepare("SELECT count(*) FROM outbox").pluck().get()).toBe(1);
  raw.pragma(`user_version = ${migrations.length}`);
  expect(attempt(() => save(store, "record2"))).toEqual({ ok: true, value: true });
  raw.close();
  store.close();
});

test("[ST9] a locked database is `busy` after the time a hook may wait, and nothing is half done", () => {
  const path = join(home(), "tidemark.db");
  const store = testStore({ path, busyTimeoutMs: 20 });
  const other = new Sqlite(path);
  other.exec("BEGIN IMMEDIATE");
  expect(attempt(() => save(store, "record1"))).toMatchObject({
    ok: false,
    error: { kind: "busy" },
  });
  other.exec("ROLLBACK");
  other.close();
  expect(attempt(() => save(store, "record1"))).toEqual({ ok: true, value: true });
  store.close();
});

test("[ST9] a full disk is `full`, rolls back, and the store goes on when there is space", () => {
  const path = join(home(), "tidemark.db");
  const store = testStore({ path });
  const long = scrubbed({ title: "x".repeat(60_000) });
  store.close();
  const db = openDatabase({ path, busyTimeoutMs: 20 });
  db.pragma(`max_page_count = ${Number(db.pragma("page_count")) + 2}`);
  const full = attempt(() => {
    db.transact(() => {
      for (let n = 0; n < 40; n += 1) {
        db.run("INSERT INTO meta (key, value) VALUES (?, ?)", `k${n}`, JSON.stringify(long));
      }
    });
  });
  expect(full).toMatchObject({ ok: false, error: { kind: "full" } });
  expect(db.get("SELECT 1 FROM meta")).toBeUndefined();
  db.close();
});

test("[ST9] a file that is no database is `corrupt`, and is left as it is", () => {
  const path = join(home(), "tidemark.db");
  const text = "not a database at all. ".repeat(100);
  writeFileSync(path, text);
  expect(openStore({ ...testOptions(), path })).toMatchObject({
    ok: false,
    error: { kind: "corrupt" },
  });
  expect(readFileSync(path, "utf8")).toBe(text);
});

test("[ST9] a folder that is not there, and a file that cannot be made, are `cannot-open`", () => {
  const path = join(home(), "missing", "tidemark.db");
  const options = { ...testOptions(), path };
  expect(openStore(options)).toMatchObject({ ok: false, error: { kind: "cannot-open" } });
  const createPrivateFile = () => fail({ kind: "exists" });
  expect(openStore({ ...options, createPrivateFile })).toMatchObject({
    ok: false,
    error: { kind: "cannot-open" },
  });
});

test("[ST9] a native module that does not load is told apart from the database", () => {
  const nativeBinding = join(home(), "broken.node");
  writeFileSync(nativeBinding, "no machine code");
  expect(openStore({ ...testOptions(), nativeBinding })).toMatchObject({
    ok: false,
    error: { kind: "native-module" },
  });
});

test.each([
  ["SQLITE_READONLY_DIRECTORY", "read-only"],
  ["SQLITE_IOERR_FSYNC", "io"],
  ["SQLITE_BUSY_SNAPSHOT", "busy"],
  ["SQLITE_CORRUPT_VTAB", "corrupt"],
])("[ST9] %s is %s", (code, kind) => {
  expect(storeErrorOf(new Sqlite.SqliteError("text", code))?.kind).toBe(kind);
});

test("[ST9] what is no trouble of the machine is thrown on", () => {
  expect(() =>
    attempt(() => {
      throw new TypeError("bug");
    }),
  ).toThrow("bug");
  expect(storeErrorOf("text")).toBeUndefined();
});

test("a read-only database says so when it is written", () => {
  const folder = home();
  const path = join(folder, "tidemark.db");
  testStore({ path }).close();
  mkdirSync(join(folder, "sub"));
  chmodSync(path, 0o400);
  const opened = openStore({ ...testOptions(), path });
  // Root may write whatever the mode says.
  expect(opened.ok || opened.error.kind === "read-only").toBe(true);
  if (opened.ok) opened.value.close();
});

test("[HK1] what a hook loads to store a capture contains neither drizzle nor zod", async () => {
  const bundle = await build({
    entryPoints: [join(import.meta.dirname, "open.ts")],
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "cjs",
    conditions: ["source"],
    external: ["better-sqlite3"],
  });
  const inputs = Object.keys(bundle.metafile.inputs);
  expect(inputs.some((input) => input.endsWith("store/open.ts"))).toBe(true);
  expect(inputs.filter((input) => /drizzle|zod|schema\.ts/.test(input))).toEqual([]);
});
