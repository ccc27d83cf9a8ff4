import { localNamespace, unpairedNamespace, type RecordId } from "@tidemark/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nothingYet, type Brought, type BroughtRow } from "../capture/brought/brought.ts";
import type { Store } from "../store/store.ts";
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
