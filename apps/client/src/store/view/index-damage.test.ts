import { rmSync } from "node:fs";
import Sqlite from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RecordId } from "@tidemark/protocol";
import { storeFiles } from "../../platform/store-files.ts";
import { openStore } from "../open.ts";
import { attempt } from "../store-error.ts";
import {
  damagedCopy,
  namespace,
  openRepaired,
  usedDatabase,
  type UsedDatabase,
} from "../testing/damage.ts";
import { scrubbed, testOptions } from "../testing/test-store.ts";

let used: UsedDatabase;

/** What a hook writes beside the damage. */
const put = {
  kind: "put",
  id: "captured" as RecordId,
  collection: "observation",
  fields: scrubbed({ title: "wombat", narrative: "captured" }),
} as const;

beforeAll(() => {
  used = usedDatabase();
});

afterAll(() => {
  used.remove();
});

function pagesOfIndex(): readonly number[] {
  const db = new Sqlite(used.path, { readonly: true });
  const rows = db.prepare("SELECT pageno FROM dbstat WHERE name LIKE 'search_%'").all();
  db.close();
  return rows.map((row) => (row as { pageno: number }).pageno);
}

test("[ST6] no page of the search index blocks a capture when it is ruined", () => {
  const pages = pagesOfIndex();
  expect(pages.length).toBeGreaterThan(4);
  const blocked: string[] = [];
  for (const page of pages) {
    const path = damagedCopy(used, (bytes) => bytes.fill(0, (page - 1) * 4096, page * 4096));
    const hook = openStore({ ...testOptions(`hook ${page}`), path, files: storeFiles });
    if (!hook.ok) throw new Error(hook.error.kind);
    const edit = {
      kind: "set",
      id: "unsent1" as RecordId,
      fields: scrubbed({ title: "wombat" }),
    } as const;
    const made = attempt(() => hook.value.changes.change(namespace, [put, edit], 1));
    if (!made.ok) blocked.push(`page ${page}: ${made.error.message}`);
    hook.value.close();
    const { store } = openRepaired(path);
    if (made.ok) expect(store.reads.search("wombat", {}).length).toBe(2);
    expect(store.upkeep.check()).toEqual([]);
    store.close();
    rmSync(path);
  }
  expect(blocked).toEqual([]);
});

test("[ST6] an index whose list of segments is blank blocks no capture, and is noticed without one", () => {
  const path = damagedCopy(used, (bytes) => bytes);
  const db = new Sqlite(path);
  db.unsafeMode(true);
  db.exec("UPDATE search_data SET block = zeroblob(64) WHERE id = 10");
  db.close();
  const opened = openStore({ ...testOptions("hook"), path, files: storeFiles });
  if (!opened.ok) throw new Error(opened.error.kind);
  const store = opened.value;
  const { changes, reads, upkeep } = store;
  expect(upkeep.check()).toMatchObject([{ kind: "search" }]);
  expect(changes.change(namespace, [put], 1)).toMatchObject({ ok: true });
  expect(upkeep.repairSearch()).toBe(true);
  expect(reads.search("wombat", {}).length).toBe(1);
  expect(upkeep.check()).toEqual([]);
  store.close();
  const after = new Sqlite(path, { readonly: true });
  // What the check tried to write is not there.
  expect(after.prepare("SELECT id FROM search_docsize WHERE id < 0").all()).toEqual([]);
  after.close();
  rmSync(path);
});

/** A database whose index no write gets past, and a hook that does something before it notes that. */
function hookOnDamage(beforeNote: (path: string) => void) {
  const path = damagedCopy(used, (bytes) => bytes);
  const db = new Sqlite(path);
  db.unsafeMode(true);
  db.exec("UPDATE search_data SET block = zeroblob(64) WHERE id = 10");
  db.close();
  let notes = 0;
  const probe = (sql: string): void => {
    if (!sql.startsWith("INSERT OR IGNORE INTO meta")) return;
    notes += 1;
    if (notes === 1) beforeNote(path);
  };
  const opened = openStore({
    ...testOptions("hook"),
    path,
    files: storeFiles,
    busyTimeoutMs: 1,
    probe,
  });
  if (!opened.ok) throw new Error(opened.error.kind);
  const { changes } = opened.value;
  return {
    path,
    store: opened.value,
    capture: () => attempt(() => changes.change(namespace, [put], 1)),
  };
}

test("[ST6] of two programs that meet a damaged index at once neither fails", () => {
  const { path, store, capture } = hookOnDamage(() => {
    const other = openStore({ ...testOptions("other"), path, files: storeFiles });
    if (!other.ok) throw new Error(other.error.kind);
    const theirs = { ...put, id: "theirs" as RecordId };
    expect(other.value.changes.change(namespace, [theirs], 1).ok).toBe(true);
    other.value.close();
  });
  expect(capture()).toMatchObject({ ok: true, value: { ok: true } });
  expect(store.upkeep.repairSearch()).toBe(true);
  expect(store.reads.search("wombat", {}).length).toBe(2);
  store.close();
  rmSync(path);
});

test("[ST6] where the damage cannot be noted, it is told why, and nothing is written", () => {
  const other = { close: (): void => {} };
  const { path, store, capture } = hookOnDamage((at) => {
    const db = new Sqlite(at);
    db.exec("BEGIN IMMEDIATE");
    other.close = () => void db.close();
  });
  expect(capture()).toMatchObject({ ok: false, error: { kind: "busy" } });
  other.close();
  expect(capture()).toMatchObject({ ok: true, value: { ok: true } });
  expect(store.reads.get(namespace, put.id)?.fields["title"]).toBe("wombat");
  store.close();
  rmSync(path);
});
