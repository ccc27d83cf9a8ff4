import {
  localNamespace,
  unpairedNamespace,
  type JsonObject,
  type NamespaceId,
  type RecordId,
} from "@tidemark/protocol";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Change, ObservationFilter } from "../local-store.ts";
import type { Store } from "../store.ts";
import { pair, pullAll, settle } from "../testing/exchange.ts";
import { TestServer } from "../testing/test-server.ts";
import { testStore } from "../testing/test-store.ts";
import { id, make, put, set, world } from "../testing/world.ts";
import { closenessTo, int8Of } from "./int8.ts";
import type { Embedding } from "./vectors.ts";

const embedding: Embedding = { model: "model-1", includesEncrypted: false };
const byName = new TextEncoder();

let store: Store;
beforeEach(() => {
  store = testStore();
});
afterEach(() => {
  store.close();
});

function change(...changes: readonly Change[]): void {
  const made = store.changes.change(unpairedNamespace, changes, 1);
  if (!made.ok) throw new Error(made.error.kind);
}

/** An embedder of sorts: the letters of a text, counted. */
function vectorOf(text: string): Int8Array {
  const parts = Array.from({ length: 27 }, () => 0);
  for (const byte of byName.encode(text.toLowerCase())) {
    const place = byte - 96;
    parts[place > 0 && place < 27 ? place : 0] =
      (parts[place > 0 && place < 27 ? place : 0] ?? 0) + 1;
  }
  const vector = int8Of(parts);
  if (vector === undefined) throw new Error(`no vector of ${text}`);
  return vector;
}

function embedAll(of: Store = store, by: Embedding = embedding): number {
  const wanted = of.vectors.wanted(by, 100);
  return of.vectors.keep(
    by.model,
    wanted.map((each) => ({ ...each, vector: vectorOf(each.text) })),
  );
}

const textsWanted = (of: Store = store, by: Embedding = embedding): readonly string[] =>
  of.vectors.wanted(by, 100).map(({ text }) => text.trim());

const nearestTo = (text: string, filter: ObservationFilter = {}, limit = 10): readonly string[] =>
  store.vectors.nearest(embedding.model, vectorOf(text), filter, limit).map((each) => each.id);

test("[RC30] the newest texts come first, and each that has its vector is wanted no more", () => {
  change(put("record1", { title: "one", narrative: "why", facts: ["a fact"] }));
  change(put("record2", { title: "two" }), put("record3", { title: "three" }));
  expect(store.vectors.wanted(embedding, 2).map(({ text }) => text.trim())).toEqual([
    "three",
    "two",
  ]);
  expect(store.vectors.counts(embedding)).toEqual({ kept: 0, wanted: 3 });
  expect(textsWanted()).toContain("one\nwhy\na fact");
  expect(embedAll()).toBe(3);
  expect(textsWanted()).toEqual([]);
  expect(store.vectors.counts(embedding)).toEqual({ kept: 3, wanted: 0 });
});

test("[RC30] a text that an embedder makes nothing of is not asked again, and is near to nothing", () => {
  change(put("record1", { title: "one" }));
  const [only] = store.vectors.wanted(embedding, 1);
  if (only === undefined) throw new Error("nothing is wanted");
  expect(store.vectors.keep(embedding.model, [{ ...only, vector: undefined }])).toBe(1);
  expect(textsWanted()).toEqual([]);
  expect(nearestTo("one")).toEqual([]);
});

test("[RC30] the nearest come first, whatever the filter wants; the rest of the window is not looked at", () => {
  change(
    put("record1", { title: "zebra", kind: "note" }),
    put("record2", { title: "bezar", kind: "fix" }),
    put("record3", { title: "quux", kind: "note" }),
    put("record4", { title: "zebra", archived: true }),
  );
  embedAll();
  expect(
    nearestTo("zebra")
      .slice(0, 2)
      .toSorted((a, b) => a.localeCompare(b)),
  ).toEqual(["record1", "record2"]);
  expect(nearestTo("zebra")).toHaveLength(2);
  expect(nearestTo("zebra", { includeHidden: true })).toHaveLength(2);
  expect(nearestTo("zebra", { kinds: ["note"] })).toEqual(["record1"]);
  expect(nearestTo("zebra", { kinds: ["fix"] })).toEqual(["record2"]);
  expect(nearestTo("zebra", { kinds: ["note"], offset: 5, limit: 1 }, 1)).toEqual(["record1"]);
  expect(nearestTo("zebra", { namespaces: [localNamespace] })).toEqual([]);
});

test("[RC32] what does not stand out is not near, for something always is the nearest", () => {
  const titles = ["zebra", "zebras", "quux", "quux quux", "puppy", "muck", "jump", "film"];
  change(...titles.map((title, at) => put(`record-${at}`, { title })));
  embedAll();
  expect(nearestTo("zebra")).toEqual(["record-0", "record-1"]);
});

test("[RC31] a vector goes with the text that it was made of, and stays where the text does", () => {
  change(put("record1", { title: "one" }), put("record2", { title: "two" }));
  embedAll();
  change(set("record1", { pinned: true }));
  expect(textsWanted()).toEqual([]);
  change(set("record1", { title: "another" }));
  expect(textsWanted()).toEqual(["another"]);
  change({ kind: "forget", id: id("record2") });
  expect(nearestTo("two")).toEqual([]);
  expect(store.vectors.counts(embedding)).toEqual({ kept: 0, wanted: 1 });
});

test("[RC31] none is kept of a text that changed, went or became another's while it was made", () => {
  change(put("record1", { title: "one" }), put("record2", { title: "two" }));
  const made = store.vectors
    .wanted(embedding, 10)
    .map((each) => ({ ...each, vector: vectorOf(each.text) }));
  change(set("record1", { title: "another" }), { kind: "forget", id: id("record2") });
  change(put("record3", { title: "in its row" }));
  expect(store.vectors.keep(embedding.model, made)).toBe(0);
  expect(textsWanted().toSorted((a, b) => a.localeCompare(b))).toEqual(["another", "in its row"]);
});

test("[RC31] vectors of two commands are never compared, and the newer one's replace the older's", () => {
  change(put("record1", { title: "one" }));
  embedAll();
  const other = { ...embedding, model: "model-2" };
  expect(store.vectors.nearest(other.model, vectorOf("one"), {}, 5)).toEqual([]);
  expect(textsWanted(store, other)).toEqual(["one"]);
  embedAll(store, other);
  expect(store.vectors.nearest(other.model, vectorOf("one"), {}, 5)).toHaveLength(1);
  expect(nearestTo("one")).toEqual([]);
  // A command that began to give vectors of another length is as good as another one.
  expect(store.vectors.nearest(other.model, Int8Array.of(1, 2), {}, 5)).toEqual([]);
});

test("[RC31] what a page changed or took away has no vector any more, and no vector is ever sent", () => {
  const { server, a, b } = world();
  for (const name of ["one", "two", "three"]) make(a, put(`record-${name}`, { title: name }));
  settle(a, server);
  pullAll(b, server);
  expect(embedAll(b)).toBe(3);
  make(a, set("record-one", { title: "changed" }), { kind: "forget", id: id("record-two") });
  make(a, set("record-three", { pinned: true }));
  settle(a, server);
  pullAll(b, server);
  // Of what came with the first pull nobody knows the text by its hash: any change is a new text once.
  expect(textsWanted(b)).toEqual(["three", "changed"]);
  expect(settle(b, server)).toBe(0);
  const nothing = b.vectors.nearest(embedding.model, vectorOf("two"), {}, 5).map((each) => each.id);
  expect(nothing).not.toContain("record-two");
  a.close();
  b.close();
});

test("[RC31] vectors go with an index that is built anew, for they go by its rows", () => {
  change(put("record1", { title: "one" }), put("record2", { title: "two" }));
  change({ kind: "forget", id: id("record1") });
  embedAll();
  store.upkeep.rebuildSearch();
  expect(nearestTo("two")).toEqual([]);
  expect(textsWanted()).toEqual(["two"]);
});

test("[RC33] what is out of sight is not handed over, nor an encrypted namespace unless it is asked for", () => {
  const plain = store.changes.change(
    localNamespace,
    [
      put("record1", { title: "shown" }),
      put("record2", { title: "archived", archived: true }),
      put("record3", { title: "superseded", supersededBy: "record1" }),
    ],
    1,
  );
  expect(plain.ok).toBe(true);
  const sealed = "nse_box" as NamespaceId;
  const key = new Uint8Array(32).fill(1);
  const keys = { namespace: sealed, names: key, epochs: new Map([[1, key]]) };
  const log = { namespace: sealed, length: 1, head: "h1", epoch: 1, name: "box", entries: [] };
  store.replicas.takeSealing(log, keys);
  pair(store, new TestServer(sealed));
  const made = store.changes.change(sealed, [put("record4", { title: "sealed" })], 1);
  expect(made.ok).toBe(true);
  expect(textsWanted()).toEqual(["shown"]);
  expect(textsWanted(store, { ...embedding, includesEncrypted: true })).toEqual([
    "sealed",
    "shown",
  ]);
});

test("[RC33] a long text is cut, and not within a character", () => {
  change(put("record1", { title: `${"x".repeat(1_999)}🌊 and more` }));
  expect(textsWanted()).toEqual(["x".repeat(1_999)]);
});

test("[RC30] the nearest of many are those that comparing each would give", () => {
  const draft = fc.record({
    title: fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom("a", "b", "c", "d") }),
    kind: fc.constantFrom("note", "fix"),
  });
  fc.assert(
    fc.property(fc.array(draft, { minLength: 1, maxLength: 30 }), draft, (drafts, asked) => {
      store.close();
      store = testStore();
      change(...drafts.map((fields: JsonObject, at) => put(`record-${at}`, fields)));
      embedAll();
      const closeness = closenessTo(vectorOf(asked.title));
      const expected = drafts
        .map(({ title, kind }, at) => ({
          id: `record-${at}` as RecordId,
          kind,
          near: closeness(vectorOf(`${title}\n`)),
          at,
        }))
        .filter(({ kind }) => kind === asked.kind)
        .toSorted((left, right) => right.near - left.near || right.at - left.at);
      const mean = expected.reduce((sum, { near }) => sum + near, 0) / expected.length;
      const least = (mean + (expected[0]?.near ?? 0)) / 2;
      // What lies at the very bound may be rounded to either side of it.
      const isClear = expected.every(
        ({ near }) => near === expected[0]?.near || Math.abs(near - least) > 1e-9,
      );
      fc.pre(isClear);
      const out = expected.filter(({ near }) => near >= least).map((each) => each.id);
      expect(nearestTo(asked.title, { kinds: [asked.kind] }, 7)).toEqual(out.slice(0, 7));
    }),
  );
});

test("[RC30] more vectors than are read at once are all looked at", () => {
  const many = 4_100;
  const changes = Array.from({ length: many }, (_, at) => put(`record-${at}`, { title: `m${at}` }));
  change(...changes);
  change(put("record-last", { title: "zzz" }));
  const wanted = store.vectors.wanted(embedding, many + 1);
  const vector = Int8Array.of(1, 0);
  store.vectors.keep(
    embedding.model,
    wanted.map((each) => ({
      ...each,
      vector: each.text.startsWith("zzz") ? Int8Array.of(0, 1) : vector,
    })),
  );
  const near = store.vectors.nearest(embedding.model, Int8Array.of(1, 9), {}, 1);
  expect(near.map(({ title }) => title)).toEqual(["zzz"]);
  expect(store.vectors.nearest(embedding.model, vector, {}, 3)).toHaveLength(3);
});
