import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { unpairedNamespace } from "@tidemark/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Store } from "../store/store.ts";
import { put } from "../store/testing/world.ts";
import { testStore } from "../store/testing/test-store.ts";
import { searchObservations } from "./search.ts";
import { countedMax, searchCountedMax, totalBy } from "./total.ts";

/** More than are ranked, and more than a list counts. */
const fillerCount = countedMax + 10;
let folder: string;
let store: Store;

function save(id: string, title: string): void {
  store.changes.change(unpairedNamespace, [put(`record-${id}`, { title })], 1);
}

/** Rows of the index alone: more than are ranked, between what was saved before and what comes. */
function fillIndex(count: number): void {
  const raw = new Sqlite(store.path);
  raw.transaction(() => {
    const row = raw.prepare(
      `INSERT INTO observations (id, namespace, record, kind, origin, pinned, archived, text_hash,
         created_at) VALUES (?, 'ns_x', ?, 'note', 'user', 0, 0, '', 1)`,
    );
    const text = raw.prepare("INSERT INTO search (rowid, title, text, tags) VALUES (?, '', ?, '')");
    for (let index = 1; index <= count; index += 1) {
      row.run(1_000 + index, `filler-${index}`);
      text.run(1_000 + index, "common filler of no use");
    }
  })();
  raw.close();
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-broad-"));
  store = testStore({ path: join(folder, "store.db") });
  save("old", "common");
  save("rare", "common needle in the old part");
  fillIndex(fillerCount);
  save("new", "common");
});

afterAll(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

const found = (query: string): readonly string[] =>
  searchObservations(store.reads, query, { limit: 3 }).items.map(({ id }) => id);

test("[RC17] of too many matches the newest are ranked", () => {
  const ranked = store.reads.search('"common"', {}).map(({ observation }) => observation.id);
  expect(ranked).toEqual(["record-new"]);
});

test("[RC17] a term that finds too many is passed over where another tells more", () => {
  expect(found("common needle")).toEqual(["record-rare"]);
  expect(found("needle")).toEqual(["record-rare"]);
});

test("[RC17] where every term finds too many, what has them all in its title comes first", () => {
  save("title", "common filler in the title");
  const both = { title: "another", narrative: "common filler" };
  store.changes.change(unpairedNamespace, [put("record-both", both)], 1);
  save("one", "common");
  expect(found("common filler").slice(0, 2)).toEqual(["record-title", "record-both"]);
  expect(found("filler")).toEqual(["record-title", "record-both"]);
});

test("[RC18] a list and a search count to their limits, and say that there are more", () => {
  const { total, totalIsAtLeast } = searchObservations(store.reads, "common", { limit: 3 });
  expect({ total, totalIsAtLeast }).toEqual({ total: searchCountedMax, totalIsAtLeast: true });
  const listed = totalBy((upTo) => store.reads.count({}, upTo));
  expect(listed).toEqual({ total: countedMax, totalIsAtLeast: true });
  expect(totalBy((upTo) => store.reads.count({ kinds: ["none"] }, upTo))).toEqual({ total: 0 });
  expect(store.reads.count({})).toBe(fillerCount + 6);
});
