import { rmSync } from "node:fs";
import { join } from "node:path";
import { localNamespace, unpairedNamespace, type RecordId } from "@tidemark/protocol";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nothingYet, type Brought, type BroughtRow } from "../capture/brought/brought.ts";
import type { Store } from "../store/store.ts";
import { memoryFolder, save } from "../store/testing/damage.ts";
import { testOptions, testStore } from "../store/testing/test-store.ts";
import { createBringing, type BroughtReport } from "./bring.ts";
import type { MemoryDeps } from "./deps.ts";
import { editRecord } from "./edit.ts";
import { forgetRecord } from "./forget.ts";
import { canaries } from "./testing/canaries.ts";
import { testScrub } from "./testing/scrub.ts";

let store: Store;
let deps: MemoryDeps;
const [token = ""] = canaries;
const missing = "" as RecordId;

beforeEach(() => {
  store = testStore();
  const { clock, random, sha256 } = testOptions();
  deps = { store, scrub: testScrub(), clock, random, sha256 };
});
afterEach(() => {
  store.close();
});

function entry(more: Partial<Brought> = {}): BroughtRow {
  const value = {
    ...nothingYet,
    from: "claude-mem observation 1",
    key: "k",
    title: "Cents",
    ...more,
  };
  return { ok: true, value };
}

function bring(rows: readonly BroughtRow[], isDry = false): BroughtReport {
  const placeOf = () => ({ namespace: unpairedNamespace, project: "name:shop" });
  const bringing = createBringing(deps, { source: "claude-mem", placeOf, isDry });
  bringing.take(rows);
  return bringing.report();
}

function ids(): readonly RecordId[] {
  return store.reads.list({ includeHidden: true }).map(({ id }) => id);
}

test("[IM1] it is scrubbed, of origin import, and says where it lay, which nobody edits", () => {
  const secrets = { title: `key ${token}`, narrative: token, facts: [token], from: `at ${token}` };
  bring([entry({ ...secrets, key: token, pinned: true, atMs: 1_600_000_000_000 })]);
  const [one] = store.reads.list({});
  expect(one).toMatchObject({
    origin: "import",
    trust: 1,
    createdAt: 1_600_000_000_000,
    pinned: true,
    reviewed: false,
  });
  const record = store.reads.get(unpairedNamespace, one?.id ?? missing);
  expect(record?.fields["importedFrom"]).toMatch(/^at __SECRET/u);
  expect(JSON.stringify([record, [...store.reads.exportLines(unpairedNamespace)]])).not.toContain(
    token,
  );
  const edited = editRecord(deps, one?.id ?? "", [{ field: "importedFrom", value: "me" }]);
  expect(edited).toMatchObject({ ok: false, error: { kind: "fixed-field" } });
});

test("[IM2] a second time adds nothing, whatever the order; the same words of another key are another thing", () => {
  const rows = [entry(), entry({ title: "Euros" }), entry({ key: "other" })];
  expect(bring(rows)).toMatchObject({ added: 3, known: 0 });
  const before = ids();
  expect(bring(rows.toReversed())).toMatchObject({ added: 0, known: 3 });
  expect(bring([entry(), entry()])).toMatchObject({ added: 0, known: 2 });
  expect(ids()).toEqual(before);
});

test("[IM2] another device makes the same records", () => {
  bring([entry(), entry({ title: "Euros" })]);
  const mine = ids();
  const other = testStore();
  deps = { ...deps, store: other };
  bring([entry({ title: "Euros" }), entry()]);
  expect(
    other.reads
      .list({})
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(mine.toSorted());
  other.close();
});

test("[IM2] what was forgotten stays forgotten", () => {
  bring([entry()]);
  const [id = ""] = ids();
  expect(forgetRecord(deps, id).ok).toBe(true);
  expect(bring([entry()])).toMatchObject({ added: 0, known: 1 });
  expect(ids()).toEqual([]);
});

test("[IM4] a dry run counts the same and writes nothing", () => {
  const rows = [entry(), entry({ title: "Euros" }), entry()];
  expect(bring(rows, true)).toMatchObject({ added: 2, known: 1, titles: ["Cents", "Euros"] });
  expect(ids()).toEqual([]);
  expect(bring(rows)).toMatchObject({ added: 2, known: 1 });
});

test("[IM4] a dry run of several batches counts what two of them tell once, and its first thousand troubles", () => {
  const placeOf = () => ({ namespace: unpairedNamespace, project: "name:shop" });
  const bringing = createBringing(deps, { source: "claude-mem", placeOf, isDry: true });
  const bad = Array.from({ length: 600 }, () => ({ ok: false, from: "x", reason: "no" }) as const);
  for (let batch = 0; batch < 2; batch += 1) bringing.take([entry(), ...bad]);
  const { skipped, ...told } = bringing.report();
  expect([told, skipped.length]).toEqual([
    { added: 1, known: 1, refused: 0, titles: ["Cents"] },
    1_000,
  ]);
});

test("[IM7] one bad row harms no other", () => {
  const bad: BroughtRow = { ok: false, from: `row ${token}`, reason: "it is empty" };
  const report = bring([entry(), bad, entry({ title: "Euros" })]);
  expect(report).toMatchObject({ added: 2, skipped: [{ reason: "it is empty" }] });
  expect(JSON.stringify(report)).not.toContain(token);
});

test("[IM8] what was kept for one device stays on it", () => {
  bring([entry({ reach: "device" }), entry({ reach: "person", title: "Mine" })]);
  const namespaces = store.reads.list({}).map(({ title, namespace }) => [title, namespace]);
  expect(Object.fromEntries(namespaces)).toEqual({
    Cents: localNamespace,
    Mine: unpairedNamespace,
  });
});

test("[ST6] what meets a damaged index is brought all the same, and told once", () => {
  const folder = memoryFolder();
  const path = join(folder, "tidemark.db");
  const before = testStore({ path });
  save(before, unpairedNamespace, "earlier", { title: "earlier" });
  before.close();
  const raw = new Sqlite(path);
  raw.unsafeMode(true);
  raw.exec("UPDATE search_data SET block = zeroblob(64) WHERE id = 10");
  raw.close();
  const damaged = testStore({ path });
  deps = { ...deps, store: damaged };
  const rows = [
    entry(),
    entry({ title: "Euros" }),
    { ok: false, from: "3", reason: "no" } as const,
  ];
  expect(bring(rows)).toEqual({
    added: 2,
    known: 0,
    refused: 0,
    skipped: [{ from: "3", reason: "no" }],
    titles: ["Cents", "Euros"],
  });
  expect(damaged.reads.list({}).map(({ title }) => title)).toEqual(
    expect.arrayContaining(["Cents", "Euros", "earlier"]),
  );
  damaged.close();
  rmSync(folder, { recursive: true });
});
