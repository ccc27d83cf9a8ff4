import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterAll, expect, test } from "vitest";
import { heal, pairedStore, pullAll, settle } from "./testing/exchange.ts";
import { TestServer } from "./testing/test-server.ts";
import { seededRandom } from "./testing/test-store.ts";
import { id, make, namespace, put, set } from "./testing/world.ts";

const folder = mkdtempSync(join(tmpdir(), "tidemark-plans-"));

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Every statement of a life with a server: captures, pages, conflicts, families, a heal, reads. */
function statements(path: string): ReadonlySet<string> {
  const said = new Set<string>();
  const server = new TestServer(namespace);
  const probe = (sql: string): void => void said.add(sql);
  const a = pairedStore(server, { random: seededRandom("a") });
  const b = pairedStore(server, { random: seededRandom("b"), path, probe });
  make(
    a,
    put("record0", { title: "first", kind: "note" }),
    put("child", { title: "below" }, "record0"),
  );
  make(a, put("record1", { title: "second" }));
  settle(a, server);
  pullAll(b, server);
  make(a, set("record0", { title: "theirs" }), { kind: "forget", id: id("record1") });
  make(b, set("record0", { title: "ours" }));
  settle(a, server);
  settle(b, server);
  pullAll(b, server);
  make(b, { kind: "forget", id: id("record0") });
  settle(b, server);
  heal(b, server);
  b.reads.counts();
  b.reads.conflicts();
  b.reads.records("observation", [namespace]);
  b.reads.get(namespace, id("record0"));
  b.reads.list({ limit: 5 });
  b.reads.search("first", { limit: 5 });
  b.close();
  return said;
}

/** Steps in which SQLite looks through all that a namespace has of something that only grows. */
function wholeNamespaces(db: Sqlite.Database, sql: string): readonly string[] {
  if (!/^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)/i.test(sql)) return [];
  const asked = `EXPLAIN QUERY PLAN ${sql.replaceAll(/\?\d*/g, "NULL")}`;
  const steps = db.prepare<[], { detail: string }>(asked).all();
  const grows = /^(?:SCAN|SEARCH) (?:records|past|observations|o)\b/;
  return steps
    .map(({ detail }) => detail)
    .filter((detail) => grows.test(detail))
    .filter((detail) => detail.startsWith("SCAN") || detail.endsWith("(namespace=?)"));
}

test("[ST23] no statement of sync or of a read looks through a namespace but those that are about all of it", () => {
  const path = join(folder, "b.db");
  const said = statements(path);
  expect(said.size).toBeGreaterThan(60);
  const db = new Sqlite(path, { readonly: true });
  const whole = [...said].filter((sql) => wholeNamespaces(db, sql).length > 0);
  db.close();
  expect(whole.toSorted()).toEqual([
    // What a heal compares.
    "SELECT id, digest FROM records WHERE namespace = ? ORDER BY id",
    // What was written before a device was paired moves once.
    "UPDATE observations SET namespace = ? WHERE namespace = ?",
    "UPDATE past SET namespace = ? WHERE namespace = ?",
    "UPDATE records SET namespace = ? WHERE namespace = ?",
  ]);
});
