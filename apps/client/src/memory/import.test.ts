import type { NamespaceId } from "@tidemark/protocol";
import type { NamespaceInfo } from "@tidemark/protocol/wire";
import { expect, test } from "vitest";
import { at, id, put } from "../store/testing/world.ts";
import { seededRandom, testSha256, testStore } from "../store/testing/test-store.ts";
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
