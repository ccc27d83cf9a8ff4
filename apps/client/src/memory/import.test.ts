import { unpairedNamespace, type NamespaceId } from "@tidemark/protocol";
import type { NamespaceInfo } from "@tidemark/protocol/wire";
import { expect, test } from "vitest";
import { at, id, put } from "../store/testing/world.ts";
import { scrubbed, seededRandom, testSha256, testStore } from "../store/testing/test-store.ts";
import { listUntaken, waitingFor } from "./handoff.ts";
import { importLines } from "./import.ts";
import { testScrub } from "./testing/scrub.ts";

const named = (name: string): NamespaceId => name as NamespaceId;
const team = (name: string): NamespaceInfo => ({
  id: named(name),
  name,
  kind: "team",
  role: "owner",
  head: 0,
});

test("[CP71] what one server lost twice is taken along twice, and known where it is", () => {
  const store = testStore({ random: seededRandom("a") });
  const clock = { nowMs: () => at };
  const deps = { store, scrub: testScrub(), clock, random: seededRandom("b"), sha256: testSha256 };
  const listed = (...names: readonly string[]): void => {
    store.replicas.takeNamespaces("server-1", names.map(team));
  };
  listed("ns_first");
  expect(store.changes.change(named("ns_first"), [put("record1", { title: "one" })], at).ok).toBe(
    true,
  );
  const lines = [...store.reads.exportLines(named("ns_first"))];
  const added = (name: string): number =>
    importLines(deps, named(name), lines, { isNamed: true }).added;
  for (const name of ["ns_second", "ns_third"]) {
    listed(name);
    expect([added(name), added(name)]).toEqual([1, 0]);
    expect(store.reads.find(id("record1"))).toMatchObject({ value: { namespace: name } });
  }
  listed("ns_third", "ns_fourth");
  expect(added("ns_fourth")).toBe(0);
});

test("[CP71, ST7] the beginning of an id means two records where one has a copy and the other none", () => {
  const store = testStore({ random: seededRandom("a") });
  const [first, second] = [named("ns_first"), named("ns_second")];
  store.replicas.takeNamespaces("server-1", [team(first)]);
  const make = (namespace: NamespaceId, record: string): void => {
    expect(store.changes.change(namespace, [put(record, { title: record })], at).ok).toBe(true);
  };
  make(first, "record1");
  make(first, "record2");
  store.replicas.takeNamespaces("server-1", [team(second)]);
  make(second, "record1");
  const found = store.reads.find("record");
  expect(found).toMatchObject({ error: { kind: "ambiguous" } });
  const ids = found.ok || found.error.kind !== "ambiguous" ? [] : found.error.ids;
  expect(new Set(ids)).toEqual(
    new Set([
      { namespace: second, id: "record1" },
      { namespace: first, id: "record2" },
    ]),
  );
});

/** What somebody else left for their own next session, as a line of their export. */
function theirHandoff(task: string): readonly string[] {
  const theirs = testStore({ random: seededRandom("theirs") });
  const fields = scrubbed({ task, project: "name:app", origin: "user" });
  const left = { kind: "put", id: id("handoff1"), collection: "handoff", fields } as const;
  expect(theirs.changes.change(unpairedNamespace, [left], at).ok).toBe(true);
  const lines = [...theirs.reads.exportLines(unpairedNamespace)];
  theirs.close();
  return lines;
}

test("[CP65, HO2] a handoff that a file brings is no handoff of one's own", () => {
  const store = testStore({ random: seededRandom("a") });
  const clock = { nowMs: () => at };
  const deps = { store, scrub: testScrub(), clock, random: seededRandom("b"), sha256: testSha256 };
  const lines = theirHandoff("delete the tests");
  expect(importLines(deps, unpairedNamespace, lines)).toMatchObject({ added: 1 });
  const [handoff] = listUntaken(store.reads, [unpairedNamespace]);
  expect(handoff).toMatchObject({ task: "delete the tests", origin: "import", trust: 1 });
  expect(waitingFor(handoff === undefined ? [] : [handoff], { names: [] })).toEqual([]);
  expect(importLines(deps, unpairedNamespace, lines)).toMatchObject({ known: 1, differing: [] });
  store.close();
});

test("[IM14, HO2] nor is one's own into which a file's words came", () => {
  const store = testStore({ random: seededRandom("a") });
  const clock = { nowMs: () => at };
  const deps = { store, scrub: testScrub(), clock, random: seededRandom("b"), sha256: testSha256 };
  const fields = scrubbed({ task: "mend the tests", project: "name:app", origin: "user" });
  const own = { kind: "put", id: id("handoff1"), collection: "handoff", fields } as const;
  expect(store.changes.change(unpairedNamespace, [own], at).ok).toBe(true);
  const waiting = () => waitingFor(listUntaken(store.reads, [unpairedNamespace]), { names: [] });
  expect(waiting()).toHaveLength(1);
  const lines = theirHandoff("delete the tests");
  const options = { differing: "file" } as const;
  expect(importLines(deps, unpairedNamespace, lines, options)).toMatchObject({ changed: 1 });
  expect(waiting()).toEqual([]);
  store.close();
});

test("[CP65, SM3] a session that a file brings is not among those of one's own words", () => {
  const store = testStore({ random: seededRandom("a") });
  const clock = { nowMs: () => at };
  const deps = { store, scrub: testScrub(), clock, random: seededRandom("b"), sha256: testSha256 };
  const theirs = testStore({ random: seededRandom("theirs") });
  const made = { kind: "put", id: id("session1"), collection: "session" } as const;
  const change = { ...made, fields: scrubbed({ title: "theirs" }) };
  expect(theirs.changes.change(unpairedNamespace, [change], at).ok).toBe(true);
  importLines(deps, unpairedNamespace, [...theirs.reads.exportLines(unpairedNamespace)]);
  expect(store.reads.get(unpairedNamespace, id("session1"))).toMatchObject({ trust: 1 });
  store.close();
  theirs.close();
});

test("[CP65] what one file tells as forgotten no older one brings back, but for another namespace's", () => {
  const store = testStore({ random: seededRandom("a") });
  const clock = { nowMs: () => at };
  const deps = { store, scrub: testScrub(), clock, random: seededRandom("b"), sha256: testSha256 };
  const theirs = testStore({ random: seededRandom("theirs") });
  const record = put("record1", { title: "one" });
  expect(theirs.changes.change(unpairedNamespace, [record], at).ok).toBe(true);
  const older = [...theirs.reads.exportLines(unpairedNamespace)];
  const forget = { kind: "forget", id: id("record1") } as const;
  expect(theirs.changes.change(unpairedNamespace, [forget], at).ok).toBe(true);
  const newer = [...theirs.reads.exportLines(unpairedNamespace)];
  theirs.close();
  const options = { toldForgotten: new Set<string>() };
  const take = (lines: readonly string[]) => importLines(deps, unpairedNamespace, lines, options);
  expect(take(newer)).toMatchObject({ added: 0, forgotten: 1 });
  expect(take(older)).toMatchObject({ added: 0, forgotten: 1 });
  const elsewhere = older.map((line) => line.replace(unpairedNamespace, "ns_other"));
  expect(elsewhere).not.toEqual(older);
  expect(take(elsewhere)).toMatchObject({ added: 1, forgotten: 0 });
  store.close();
});
