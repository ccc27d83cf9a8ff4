import {
  isTombstone,
  limits,
  localNamespace,
  unpairedNamespace,
  type NamespaceId,
  type RecordId,
} from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { Change } from "../local-store.ts";
import type { Store } from "../store.ts";
import { scrubbed, testStore } from "../testing/test-store.ts";

const at = 1000;
const personal = unpairedNamespace;
const id = (text: string): RecordId => text as RecordId;

function put(record: string, fields: Parameters<typeof scrubbed>[0], parent?: string): Change {
  const under = parent === undefined ? {} : { parent: id(parent) };
  return {
    kind: "put",
    id: id(record),
    collection: "observation",
    fields: scrubbed(fields),
    ...under,
  };
}

function set(record: string, fields: Parameters<typeof scrubbed>[0]): Change {
  return { kind: "set", id: id(record), fields: scrubbed(fields) };
}

const forget = (record: string): Change => ({ kind: "forget", id: id(record) });

function lines(store: Store): readonly Record<string, unknown>[] {
  store.replicas.takeNamespaces("s", [
    { id: "ns_1" as NamespaceId, name: "p", kind: "personal", role: "owner", head: 0 },
  ]);
  const plan = store.replicas.planPush("ns_1" as NamespaceId, { ops: 100, bytes: 1_000_000 });
  return (plan?.lines ?? []).map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("[OP10] a change gives its op the next n and the next lamport, and the view shows it", () => {
  const store = testStore();
  const made = store.changes.change(personal, [put("record1", { title: "one" })], at);
  expect(made).toEqual({
    ok: true,
    value: [{ id: "record1", namespace: personal, changed: true, lamport: 1 }],
  });
  store.changes.change(personal, [set("record1", { title: "two" })], at);
  expect(store.reads.get(personal, id("record1"))?.fields).toEqual({ title: "two" });
  expect(store.replicas.replica(personal)).toMatchObject({ lamport: 2, unsent: 2 });
  expect(lines(store).map(({ n, lamport }) => [n, lamport])).toEqual([
    [1, 1],
    [2, 2],
  ]);
});

test("[OP11] changes are made all or none, and a refusal leaves nothing behind", () => {
  const store = testStore();
  const refused = store.changes.change(
    personal,
    [put("record1", { title: "one" }), set("missing", { title: "two" })],
    at,
  );
  expect(refused).toEqual({ ok: false, error: { kind: "unknown-record", id: "missing" } });
  expect(store.reads.get(personal, id("record1"))).toBeUndefined();
  expect(store.replicas.replica(personal)).toMatchObject({ lamport: 0, unsent: 0 });
  expect(store.replicas.replica(personal)?.writer).toBeUndefined();
  expect(store.reads.count({})).toBe(0);
});

test("[OP12] capturing the same thing twice makes one op, and what differs becomes a set", () => {
  const store = testStore();
  store.changes.change(personal, [put("record1", { title: "one", kind: "note" })], at);
  const again = store.changes.change(personal, [put("record1", { title: "one" })], at);
  expect(again).toMatchObject({ ok: true, value: [{ changed: false }] });
  store.changes.change(personal, [put("record1", { title: "two", kind: "note" })], at);
  const [first, second, ...rest] = lines(store);
  expect(first).toMatchObject({ op: "put" });
  expect(second).toMatchObject({ op: "set", fields: { title: "two" } });
  expect(rest).toEqual([]);
});

test("[OP13] a set names what the person saw: clock and value hash, null where nothing was", () => {
  const store = testStore();
  store.changes.change(personal, [put("record1", { title: "one" })], at);
  store.changes.change(personal, [set("record1", { title: "two", pinned: true })], at);
  const writer = store.replicas.replica(personal)?.writer;
  const [, op] = lines(store);
  expect(op?.["base"]).toEqual({
    pinned: null,
    title: [1, writer, expect.stringMatching(/^[0-9a-v]{16}$/)],
  });
});

test("[OP14] children of a forgotten record leave the view and the index with it", () => {
  const store = testStore();
  store.changes.change(
    personal,
    [
      { kind: "put", id: id("session1"), collection: "session", fields: scrubbed({ agent: "x" }) },
      put("child1", { title: "child" }, "session1"),
      put("child2", { title: "second" }, "session1"),
      put("other1", { title: "other" }),
    ],
    at,
  );
  expect(store.reads.count({})).toBe(3);
  store.changes.change(personal, [forget("session1")], at);
  expect(store.reads.list({}).map((one) => one.id)).toEqual(["other1"]);
  expect(store.reads.search("second", {})).toEqual([]);
  expect(store.reads.get(personal, id("child2"))).toBeUndefined();
  expect(store.changes.change(personal, [put("late1", { title: "x" }, "session1")], at)).toEqual({
    ok: false,
    error: { kind: "forgotten", id: "session1" },
  });
});

test("[OP24] a change that the server would refuse for its parent is refused at once", () => {
  const store = testStore();
  const made = [put("top", { title: "t" }), put("child1", { title: "c" }, "top")];
  store.changes.change(personal, made, at);
  for (const late of [
    put("deep1", { title: "d" }, "child1"),
    put("own1", { title: "o" }, "own1"),
  ]) {
    expect(store.changes.change(personal, [late], at)).toEqual({
      ok: false,
      error: { kind: "below-a-child", id: late.id },
    });
  }
});

test("[OP15] what the server could not read is refused before it is stored", () => {
  const store = testStore();
  const title = "é".repeat(limits.opBytesMax / 2);
  expect(store.changes.change(personal, [put("record1", { title })], at)).toMatchObject({
    ok: false,
    error: { kind: "too-large", bytesMax: limits.opBytesMax },
  });
  const inherited = put("record1", { toString: "x" });
  expect(store.changes.change(personal, [inherited], at)).toMatchObject({
    ok: false,
    error: { kind: "invalid-value", field: "toString" },
  });
  const long = put("record1", { ["x".repeat(limits.fieldNameMax + 1)]: 1 });
  expect(store.changes.change(personal, [long], at)).toMatchObject({
    ok: false,
    error: { kind: "invalid-value" },
  });
  expect(store.changes.change(personal, [put("record1", {})], at)).toMatchObject({ ok: false });
  expect(store.replicas.replica(personal)?.unsent).toBe(0);
});

test("[CN1] text is canonical when it is stored (abuse 115)", () => {
  const store = testStore();
  store.changes.change(personal, [put("record1", { title: "a\0b\ud800" })], at);
  expect(store.reads.get(personal, id("record1"))?.fields).toEqual({ title: "a\ufffdb\ufffd" });
});

test("[TB1] a forgotten record cannot be put or changed again; forgetting it twice is harmless", () => {
  const store = testStore();
  store.changes.change(personal, [put("record1", { title: "one" })], at);
  store.changes.change(personal, [forget("record1")], at);
  for (const change of [put("record1", { title: "one" }), set("record1", { title: "two" })]) {
    expect(store.changes.change(personal, [change], at)).toEqual({
      ok: false,
      error: { kind: "forgotten", id: "record1" },
    });
  }
  expect(store.changes.change(personal, [forget("record1")], at)).toMatchObject({
    ok: true,
    value: [{ changed: false }],
  });
});

test("[NS12] a reader's change, a parked namespace's and an unknown one's are refused at once", () => {
  const store = testStore();
  const team = "ns_team" as NamespaceId;
  const listed = { id: team, name: "team", kind: "team", role: "reader", head: 0 } as const;
  store.replicas.takeNamespaces("s", [listed]);
  const change = [put("record1", { title: "one" })];
  expect(store.changes.change(team, change, at)).toEqual({
    ok: false,
    error: { kind: "read-only", namespace: team },
  });
  store.replicas.takeNamespaces("s", []);
  expect(store.changes.change(team, change, at)).toEqual({
    ok: false,
    error: { kind: "parked", namespace: team },
  });
  expect(store.changes.change("ns_none" as NamespaceId, change, at)).toEqual({
    ok: false,
    error: { kind: "unknown-namespace", namespace: "ns_none" },
  });
});

test("[CL81] a change of a record that may not change is refused with the record", () => {
  const store = testStore();
  const team = "ns_team" as NamespaceId;
  const listed = { id: team, name: "team", kind: "team", head: 0 } as const;
  store.replicas.takeNamespaces("s", [{ ...listed, role: "writer" }]);
  expect(store.changes.change(team, [put("record1", { title: "one" })], at).ok).toBe(true);
  const changes = [
    set("record1", { title: "two" }),
    { kind: "forget", id: id("record1") } as const,
  ];
  const refused = (): unknown[] => changes.map((one) => store.changes.change(team, [one], at));
  store.replicas.takeNamespaces("s", [{ ...listed, role: "reader" }]);
  const error = { kind: "read-only", namespace: team, id: "record1" };
  expect(refused()).toEqual([
    { ok: false, error },
    { ok: false, error },
  ]);
  store.replicas.takeNamespaces("s", []);
  const parked = { ...error, kind: "parked" };
  expect(refused()).toEqual([
    { ok: false, error: parked },
    { ok: false, error: parked },
  ]);
});

test("[CF11] a conflict record cannot be made or changed by hand", () => {
  const store = testStore();
  const made = {
    kind: "put",
    id: id("c1"),
    collection: "conflict",
    fields: scrubbed({ a: 1 }),
  } as const;
  expect(store.changes.change(personal, [made], at)).toEqual({
    ok: false,
    error: { kind: "immutable", id: "c1" },
  });
});

test("a put under the id of a record of another collection is refused", () => {
  const store = testStore();
  store.changes.change(personal, [put("record1", { title: "one" })], at);
  const other = {
    kind: "put",
    id: id("record1"),
    collection: "session",
    fields: scrubbed({ a: 1 }),
  } as const;
  expect(store.changes.change(personal, [other], at)).toEqual({
    ok: false,
    error: { kind: "collection-mismatch", id: "record1" },
  });
});

test("[NS13] changes of `local` are confirmed at once, make no op, and forgetting cascades", () => {
  const store = testStore();
  const change = (...changes: readonly Change[]): unknown =>
    store.changes.change(localNamespace, changes, at);
  change(put("parent1", { title: "one" }), put("child1", { title: "two" }, "parent1"));
  change(set("parent1", { title: "three" }));
  expect(store.replicas.replica(localNamespace)).toMatchObject({
    unsent: 0,
    confirmed: { count: 2 },
    lamport: 3,
  });
  expect(store.reads.history(localNamespace, id("parent1")).map((one) => one.value)).toEqual([
    "three",
    "one",
  ]);
  change(forget("parent1"));
  expect(store.reads.count({})).toBe(0);
  expect(
    [...store.reads.exportLines(localNamespace)].map((line) => JSON.parse(line) as object),
  ).toEqual([
    { namespace: "local", id: "child1", collection: "observation", forgotten: true },
    { namespace: "local", id: "parent1", collection: "observation", forgotten: true },
  ]);
  expect(store.upkeep.check()).toEqual([]);
});

test("[ST2] calls inside one transaction are one commit: what throws takes all of it back", () => {
  const store = testStore();
  expect(() =>
    store.transact(() => {
      store.changes.change(personal, [put("record1", { title: "one" })], at);
      store.sessions.addEvent({ key: "k", session: "s", atMs: at, payload: "p" as never });
      throw new Error("cut");
    }),
  ).toThrow("cut");
  expect(store.reads.count({})).toBe(0);
  expect(store.sessions.events("s")).toEqual([]);
  const refusedInside = store.transact(() => {
    store.changes.change(personal, [put("record1", { title: "one" })], at);
    return store.changes.change(personal, [put("record2", { a: 1 }), set("missing", { a: 1 })], at)
      .ok;
  });
  expect(refusedInside).toBe(false);
  expect(store.reads.list({}).map((one) => one.id)).toEqual(["record1"]);
});

test("[CK4] a clock at its very end does not refuse captures", () => {
  const store = testStore();
  store.changes.change(personal, [put("record1", { title: "one" })], at);
  const namespace = "ns_1" as NamespaceId;
  store.replicas.takeNamespaces("s", [
    { id: namespace, name: "p", kind: "personal", role: "owner", head: 0 },
  ]);
  store.replicas.takeHealed(namespace, {
    from: 0,
    records: [],
    tail: { head: 0, mark: "", lamport: limits.lamportMax, digest: "", count: 0, refused: [] },
  });
  expect(store.changes.change(namespace, [put("record2", { title: "two" })], at).ok).toBe(true);
  expect(store.reads.count({})).toBe(2);
});

test("a tombstone in the view is what get, find and list do not show", () => {
  const store = testStore();
  store.changes.change(personal, [put("record1", { title: "one" })], at);
  store.changes.change(personal, [forget("record1")], at);
  expect(store.reads.find("record1")).toEqual({
    ok: false,
    error: { kind: "forgotten", id: "record1" },
  });
  const [line = ""] = store.reads.exportLines(personal);
  expect(isTombstone(JSON.parse(line) as never)).toBe(true);
});
