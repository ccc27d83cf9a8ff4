import { localNamespace } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { pullAll, settle } from "../store/testing/exchange.ts";
import type { Store } from "../store/store.ts";
import { id, make, namespace, put, set, world } from "../store/testing/world.ts";
import { testOptions } from "../store/testing/test-store.ts";
import type { MemoryDeps } from "./deps.ts";
import { importLines, type ImportOptions, type ImportReport } from "./import.ts";
import { canaries } from "./testing/canaries.ts";
import { testScrub } from "./testing/scrub.ts";

const [token = ""] = canaries;

function depsOf(store: Store): MemoryDeps {
  const { clock, random, sha256 } = testOptions();
  return { store, scrub: testScrub(), clock, random, sha256 };
}

const exported = (store: Store): readonly string[] => [...store.reads.exportLines(namespace)];

function take(
  store: Store,
  lines: readonly string[],
  options: ImportOptions = {},
  into = namespace,
): ImportReport {
  return importLines(depsOf(store), into, lines, options);
}

const titleIn = (store: Store, record = "record1"): unknown =>
  store.reads.get(namespace, id(record))?.fields["title"];

/** Two replicas of one record; `a` changes it and never tells: its log forked, say. */
function forked(change = set("record1", { title: "edited there" })): ReturnType<typeof world> {
  const all = world();
  const { server, a, b } = all;
  make(a, put("record1", { title: "first", kind: "note", origin: "user" }));
  settle(a, server);
  pullAll(b, server);
  make(a, change);
  return all;
}

const newer = (field: string) => [{ id: "record1", namespace, fields: [{ field, isNewer: true }] }];

test("[IM13] an edit that only the file has is named and not taken unasked", () => {
  const { a, b } = forked();
  const lines = exported(a);
  const report = take(b, lines);
  expect(report).toMatchObject({ added: 0, known: 1, changed: 0 });
  expect(report.differing).toEqual(newer("title"));
  expect(titleIn(b)).toBe("first");
  expect(b.reads.waiting()).toEqual([]);
});

test("[IM14] on a person's word it is an edit like any other, and importing again adds nothing", () => {
  const { a, b } = forked();
  const lines = exported(a);
  expect(take(b, lines, { differing: "newer", isDry: true })).toMatchObject({ changed: 1 });
  expect(titleIn(b)).toBe("first");
  const report = take(b, lines, { differing: "newer" });
  expect(report).toMatchObject({ known: 0, changed: 1, differing: [] });
  expect(titleIn(b)).toBe("edited there");
  const shown = b.reads.observation(namespace, id("record1"));
  expect(shown).toMatchObject({ origin: "user", trust: 1 });
  const values = b.reads.history(namespace, id("record1")).map(({ value }) => value);
  expect(values).toContain("first");
  const again = take(b, lines, { differing: "file" });
  expect(again).toMatchObject({ known: 1, changed: 0, differing: [] });
  expect(b.reads.waiting()).toHaveLength(1);
});

test("[IM14] what others changed meanwhile becomes a conflict by the ordinary rules", () => {
  const { server, a, b } = forked();
  const lines = exported(a);
  settle(a, server);
  expect(take(b, lines, { differing: "newer" })).toMatchObject({ changed: 1 });
  make(a, set("record1", { title: "edited later" }));
  settle(a, server);
  make(b, set("record1", { title: "mine" }));
  settle(b, server);
  settle(a, server);
  const known = [
    titleIn(a),
    ...a.reads.conflicts({ namespaces: [namespace] }).map(({ value }) => value),
  ];
  expect(known).toEqual(expect.arrayContaining(["mine", "edited later"]));
});

test("[IM13] a value that was here and was replaced is no difference", () => {
  const { server, a } = world();
  make(a, put("record1", { title: "first", kind: "note" }));
  settle(a, server);
  const before = exported(a);
  make(a, set("record1", { title: "second" }));
  expect(take(a, before).differing).toEqual([]);
  settle(a, server);
  expect(take(a, before, { differing: "file" })).toMatchObject({ changed: 0, differing: [] });
  expect(titleIn(a)).toBe("second");
});

test("[IM13] what is newer here, and never heard of the file's, is told apart and needs another word", () => {
  const { server, a, b } = forked();
  const lines = exported(a);
  make(b, set("record1", { kind: "decision" }));
  make(b, set("record1", { title: "edited here" }));
  settle(b, server);
  const report = take(b, lines, { differing: "newer" });
  expect(report.changed).toBe(0);
  expect(report.differing).toEqual([
    { id: "record1", namespace, fields: [{ field: "title", isNewer: false }] },
  ]);
  expect(titleIn(b)).toBe("edited here");
  expect(take(b, lines, { differing: "file" })).toMatchObject({ changed: 1 });
  expect(titleIn(b)).toBe("edited there");
});

test("[IM13] a line that was changed by hand is told, whatever its clock", () => {
  const { b } = forked();
  const lines = exported(b).map((line) => line.replace('"first"', '"by hand"'));
  expect(take(b, lines).differing).toEqual([
    { id: "record1", namespace, fields: [{ field: "title", isNewer: false }] },
  ]);
});

test("[IM14] what is taken is scrubbed, and says nothing of who wrote the record or vouches for it", () => {
  const { b } = forked();
  const lines = exported(b).map((line) =>
    line
      .replace('"first"', JSON.stringify(`mine ${token}`))
      .replace('"fields":{', '"fields":{"pinned":true,"pinnedOrigin":"user","pinnedOf":{},'),
  );
  expect(take(b, lines, { differing: "file" })).toMatchObject({ changed: 1, differing: [] });
  const fields = b.reads.get(namespace, id("record1"))?.fields ?? {};
  expect(JSON.stringify(fields)).not.toContain(token);
  expect(fields).toMatchObject({ origin: "user", editedOrigin: "import", pinnedOrigin: "import" });
  expect(fields).not.toHaveProperty("pinnedOf");
});

test("[IM14, IM8] it goes where the file says that it was, or where a person says; nowhere else", () => {
  const { a, b } = forked();
  const elsewhere = exported(a).map((line) => line.replace(`"${namespace}"`, '"ns_other"'));
  const report = take(b, elsewhere, { differing: "file", forgets: true }, localNamespace);
  expect(report).toMatchObject({ changed: 0, differing: [{ id: "record1", namespace }] });
  expect(titleIn(b)).toBe("first");
  expect(take(b, elsewhere, { differing: "file" })).toMatchObject({ changed: 1 });
});

test("[IM15] what was forgotten there is told, and goes here where a person says so", () => {
  const { a, b } = forked({ kind: "forget", id: id("record1") });
  const lines = exported(a);
  expect(take(b, lines)).toMatchObject({
    forgotten: 1,
    erased: 0,
    alive: [{ id: "record1", namespace }],
  });
  expect(titleIn(b)).toBe("first");
  expect(take(b, lines, { forgets: true, isDry: true })).toMatchObject({ erased: 1, alive: [] });
  expect(titleIn(b)).toBe("first");
  expect(take(b, lines, { forgets: true })).toMatchObject({ erased: 1, forgotten: 0, alive: [] });
  expect(titleIn(b)).toBeUndefined();
  expect(take(b, lines, { forgets: true })).toMatchObject({ erased: 0, forgotten: 1, alive: [] });
});

test("[IM13] what was forgotten here is counted, and stays so", () => {
  const { a, b } = forked();
  make(b, { kind: "forget", id: id("record1") });
  expect(take(b, exported(a), { differing: "file" })).toMatchObject({
    added: 0,
    known: 1,
    gone: 1,
    changed: 0,
  });
});

test("[IM2] an id is known where the whole of it is: one that begins another comes in", () => {
  const { b } = forked();
  const lines = ["reco", "record"].map((short) =>
    JSON.stringify({
      id: short,
      collection: "observation",
      lamport: 1,
      writer: "w",
      at: 5,
      fields: { title: short, kind: "note" },
    }),
  );
  expect(take(b, lines)).toMatchObject({ added: 2, known: 0 });
  expect(titleIn(b, "reco")).toBe("reco");
});

test("[CP65] lines of a file that was put together from two are read, with the mark of the second", () => {
  const { b } = forked();
  const line = '{"id":"0123456789abcdef","collection":"observation","lamport":1,"writer":"w","at":5,"fields":{"title":"two"}}'; // prettier-ignore
  expect(take(b, [`\uFEFF${line}\r`])).toMatchObject({ added: 1, unreadable: [] });
});

test("[IM18] what stands in a namespace that one has left comes into the one that a person names, and is found there", () => {
  const { a } = forked();
  const lines = exported(a);
  a.replicas.takeNamespaces("server-1", []);
  expect(a.replicas.replica(namespace)).toMatchObject({ status: "parked" });
  expect(take(a, lines, {}, localNamespace)).toMatchObject({ added: 0, known: 1 });
  const named = { isNamed: true };
  expect(take(a, lines, named, localNamespace)).toMatchObject({ added: 1, known: 0 });
  expect(take(a, lines, named, localNamespace)).toMatchObject({ added: 0, known: 1 });
  const found = a.reads.find("record1");
  expect(found).toMatchObject({ ok: true, value: { namespace: localNamespace } });
});
