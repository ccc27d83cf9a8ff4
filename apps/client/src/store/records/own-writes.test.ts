import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterAll, expect, test } from "vitest";
import { pair, pushOnce, settle } from "../testing/exchange.ts";
import { TestServer } from "../testing/test-server.ts";
import { seededRandom, testStore } from "../testing/test-store.ts";
import { make, namespace, put, set } from "../testing/world.ts";

const folder = mkdtempSync(join(tmpdir(), "tidemark-own-writes-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test("[OP27] what was written over is noted while something waits for it, and no longer", () => {
  const path = join(folder, "tidemark.db");
  const store = testStore({ random: seededRandom("a"), path });
  const server = new TestServer(namespace);
  pair(store, server);
  const raw = new Sqlite(path, { readonly: true });
  const noted = (): readonly unknown[] =>
    raw.prepare("SELECT record, field FROM own_writes ORDER BY record, field").raw().all();
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
  raw.close();
  store.close();
});
