import { createKeyRing, isTombstone, type JsonObject, type RecordState } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { sealCipher } from "../../platform/seal-cipher.ts";
import { seededRandom, testStore } from "../testing/test-store.ts";
import { heal, pair, pullAll, pullOnce, pushOnce, settle } from "../testing/exchange.ts";
import {
  box as namespace,
  boxDevice as device,
  boxKeys as keysOf,
  boxLog as logAt,
} from "../testing/sealed-box.ts";
import { TestServer } from "../testing/test-server.ts";
import { at, cloneOf, id, put, set } from "../testing/world.ts";
import type { Change } from "../local-store.ts";
import type { Store } from "../store.ts";

const ring = createKeyRing(sealCipher, keysOf(1));
function make(store: Store, ...changes: readonly Change[]): void {
  const made = store.changes.change(namespace, changes, at);
  if (!made.ok) throw new Error(made.error.kind);
}

const fieldsOf = (store: Store, record = "record1"): JsonObject | undefined =>
  store.reads.get(namespace, id(record))?.fields;
const found = (store: Store, word: string): number => store.reads.search(`"${word}"`, {}).length;
const plainWords = /canary|title|narrative|tag\//;
const shownBy = (server: TestServer): string => JSON.stringify(server.states());

test("[EE10] what one device writes another reads, and the server sees neither names nor values", () => {
  const server = new TestServer(namespace);
  server.tellsAdvance = true;
  const a = device(server, "a", 1);
  const b = device(server, "b", 1);
  make(a, put("record1", { title: "canary one", kind: "note", "tag/canary": true }));
  make(a, set("record1", { title: "canary two", narrative: "canary text" }));
  expect(settle(a, server)).toBe(0);
  expect(settle(b, server)).toBe(0);
  make(b, set("record1", { title: "canary three" }));
  settle(b, server);
  settle(a, server);
  const expected = {
    title: "canary three",
    kind: "note",
    "tag/canary": true,
    narrative: "canary text",
  };
  expect(fieldsOf(a)).toEqual(expected);
  expect(fieldsOf(b)).toEqual(expected);
  expect(found(a, "canary")).toBe(1);
  expect(found(b, "three")).toBe(1);
  expect(shownBy(server)).not.toMatch(plainWords);
  expect(shownBy(server)).toContain("sealed1.1.");
  expect(a.reads.conflicts()).toEqual([]);
  expect(a.upkeep.check()).toEqual([]);
  const told = a.reads.history(namespace, id("record1")).filter(({ field }) => field === "title");
  expect(told.map(({ value }) => value)).toEqual(["canary three", "canary two", "canary one"]);
});

test("[EE10] without its key a device's changes wait in its outbox, readable here, and go once it comes", () => {
  const server = new TestServer(namespace);
  const a = device(server, "a");
  make(a, put("record1", { title: "canary" }));
  make(a, set("record1", { title: "canary again" }));
  expect(a.replicas.planPush(namespace, { ops: 9, bytes: 1e6 })).toBeUndefined();
  expect(a.replicas.replica(namespace)?.unsent).toBe(2);
  expect(fieldsOf(a)).toEqual({ title: "canary again" });
  a.replicas.takeSealing(logAt(1), keysOf(1));
  const plan = a.replicas.planPush(namespace, { ops: 9, bytes: 1e6 });
  expect(plan?.header.epoch).toBe(1);
  expect(plan?.lines.join("")).not.toMatch(plainWords);
  expect(settle(a, server)).toBe(0);
  expect(fieldsOf(a)).toEqual({ title: "canary again" });
  expect(a.replicas.replica(namespace)).toMatchObject({ unsent: 0, name: "box" });
  const b = device(server, "b", 1);
  settle(b, server);
  expect(fieldsOf(b)).toEqual({ title: "canary again" });
  expect(b.reads.conflicts()).toEqual([]);
});

test("[EE10] forgetting alone goes out as any change does, under the newest epoch", () => {
  const server = new TestServer(namespace);
  const a = device(server, "a", 1);
  make(a, put("record1", { title: "canary" }));
  settle(a, server);
  a.replicas.takeSealing(logAt(2), keysOf(1, 2));
  make(a, { kind: "forget", id: id("record1") });
  expect(a.replicas.planPush(namespace, { ops: 9, bytes: 1e6 })?.header.epoch).toBe(2);
  expect(settle(a, server)).toBe(0);
  expect(shownBy(server)).not.toContain("sealed1.");
});

test("[EE10] what a device pulls before its key comes waits sealed, and is shown and found then", () => {
  const server = new TestServer(namespace);
  const a = device(server, "a", 1);
  const b = device(server, "b");
  make(a, put("record1", { title: "canary" }));
  settle(a, server);
  settle(b, server);
  expect(fieldsOf(b)).toBeUndefined();
  expect(found(b, "canary")).toBe(0);
  expect(b.replicas.replica(namespace)).toMatchObject({ verified: true, needsHeal: false });
  b.replicas.takeSealing(logAt(1), keysOf(1));
  expect(fieldsOf(b)).toEqual({ title: "canary" });
  expect(found(b, "canary")).toBe(1);
});

test("[EE11] after a new key what was not taken is sealed anew under the same writer, bases and all (abuse 147)", () => {
  const server = new TestServer(namespace);
  const a = device(server, "a", 1);
  make(a, put("record1", { title: "one" }));
  settle(a, server);
  make(a, set("record1", { title: "two" }));
  make(a, set("record1", { title: "three" }));
  const before = a.replicas.planPush(namespace, { ops: 9, bytes: 1e6 });
  expect(before?.header.epoch).toBe(1);
  a.replicas.takeSealing(logAt(2), keysOf(1, 2));
  expect(a.replicas.resealRefused(namespace)).toBe(true);
  expect(a.replicas.resealRefused(namespace)).toBe(false);
  const after = a.replicas.planPush(namespace, { ops: 9, bytes: 1e6 }, before);
  expect(after?.header).toMatchObject({ ...before?.header, epoch: 2 });
  expect(after?.lines.join("")).not.toContain("sealed1.1.");
  expect(settle(a, server)).toBe(0);
  const b = device(server, "b", 1, 2);
  settle(b, server);
  expect(fieldsOf(b)).toEqual({ title: "three" });
  expect(b.reads.conflicts()).toEqual([]);
  expect(a.upkeep.check()).toEqual([]);
});

test("[EE11] what the server took under a key that turned over before its answer came is known again", () => {
  const server = new TestServer(namespace);
  const a = device(server, "a", 1);
  make(a, put("record1", { title: "one" }));
  const lost = a.replicas.planPush(namespace, { ops: 9, bytes: 1e6 });
  if (lost === undefined) throw new Error("there is something to push");
  server.push(lost);
  make(a, set("record1", { title: "two" }));
  a.replicas.takeSealing(logAt(2), keysOf(1, 2));
  const again = a.replicas.planPush(namespace, { ops: 9, bytes: 1e6 });
  expect([again?.header.epoch, again?.lines]).toEqual([2, []]);
  expect(settle(a, server)).toBe(0);
  const b = device(server, "b", 1, 2);
  settle(b, server);
  expect(fieldsOf(b)).toEqual({ title: "two" });
  expect(b.reads.conflicts()).toEqual([]);
  expect(a.replicas.replica(namespace)?.notice).toBeUndefined();
});

test("[EE11] nothing goes out under an old key, though a change may have been sent under it", () => {
  const server = new TestServer(namespace);
  const a = device(server, "a", 1);
  make(a, put("record1", { title: "one" }));
  a.replicas.planPush(namespace, { ops: 9, bytes: 1e6 });
  make(a, set("record1", { title: "after the key" }));
  a.replicas.takeSealing(logAt(2), keysOf(1, 2));
  expect(a.replicas.planPush(namespace, { ops: 9, bytes: 1e6 })?.lines).toEqual([]);
  expect(pushOnce(a, server)).toEqual({ kind: "taken" });
  const all = a.replicas.planPush(namespace, { ops: 9, bytes: 1e6 });
  expect([all?.header.epoch, all?.lines.length]).toEqual([2, 2]);
  expect(settle(a, server)).toBe(0);
  expect(a.upkeep.check()).toEqual([]);
});

test("[EE11, PS33] nothing sealed is planned ahead: it is sent as it is sealed when its turn comes", () => {
  const a = device(new TestServer(namespace), "a", 1);
  make(a, put("record1", { title: "canary" }), put("record2", { title: "canary" }));
  const limits = { ops: 1, bytes: 1e6 };
  const plan = a.replicas.planPush(namespace, limits);
  expect(plan?.hasMore).toBe(true);
  expect(plan && a.replicas.planPushAfter(namespace, plan, limits)).toBeUndefined();
});

test("[EE6] a log that does not go on from what is known by now is not taken, nor a key beside it", () => {
  const server = new TestServer(namespace);
  const a = device(server, "a");
  const log = (...entries: readonly string[]) => ({
    ...logAt(entries.length),
    head: `head of ${entries.join()}`,
    entries,
  });
  expect(a.replicas.takeSealing(log("one", "two"), keysOf(1, 2))).toBe(true);
  expect(a.replicas.takeSealing(log("one", "two"))).toBe(true);
  for (const other of [log("one"), log("one", "fork"), log("one", "fork", "three"), log()]) {
    expect(a.replicas.takeSealing(other, keysOf(1, 2, 3))).toBe(false);
  }
  expect(a.replicas.seenLog(namespace)).toEqual(["one", "two"]);
  expect(a.replicas.sealing(namespace)).toMatchObject({ length: 2, epoch: 2, hasKey: true });
  expect(a.replicas.heldKeys(namespace)?.epochs.size).toBe(2);
  expect(a.replicas.takeSealing(log("one", "two", "three"), keysOf(1, 2, 3))).toBe(true);
  expect(a.replicas.seenLog(namespace)).toEqual(["one", "two", "three"]);
});

test("[EE11] changes made while the newest key is not here wait for it, and are sent under no old one", () => {
  const server = new TestServer(namespace);
  const a = device(server, "a", 1);
  make(a, put("record1", { title: "one" }));
  a.replicas.takeSealing(logAt(2));
  make(a, set("record1", { title: "two" }));
  expect(a.replicas.planPush(namespace, { ops: 9, bytes: 1e6 })).toBeUndefined();
  expect(a.replicas.sealing(namespace)).toMatchObject({ epoch: 2, hasKey: false });
  a.replicas.takeSealing(logAt(2), keysOf(1, 2));
  const plan = a.replicas.planPush(namespace, { ops: 9, bytes: 1e6 });
  expect(plan?.header.epoch).toBe(2);
  expect(plan?.lines).toHaveLength(2);
  expect(settle(a, server)).toBe(0);
});

test("[EE11] a copied home seals what it had not sent anew for its new writer", () => {
  const server = new TestServer(namespace);
  const a = device(server, "a", 1);
  make(a, put("record1", { title: "one" }));
  settle(a, server);
  make(a, set("record1", { title: "canary two" }));
  make(a, set("record1", { title: "canary three" }));
  const clone = cloneOf(a);
  make(clone, put("record2", { title: "of the copy" }));
  settle(a, server);
  settle(clone, server);
  settle(a, server);
  const b = device(server, "b", 1);
  settle(b, server);
  for (const store of [a, b, clone]) {
    expect(fieldsOf(store)).toEqual({ title: "canary three" });
    expect(fieldsOf(store, "record2")).toEqual({ title: "of the copy" });
  }
  expect(shownBy(server)).not.toMatch(plainWords);
});

test("[EE4] a race makes a conflict that shows the losing value, and is settled as any other", () => {
  const server = new TestServer(namespace);
  const a = device(server, "a", 1);
  const b = device(server, "b", 1);
  make(a, put("record1", { title: "base" }));
  settle(a, server);
  settle(b, server);
  make(a, set("record1", { title: "by a" }));
  make(b, set("record1", { title: "by b" }));
  settle(a, server);
  settle(b, server);
  settle(a, server);
  expect(fieldsOf(a)).toEqual(fieldsOf(b));
  const [conflict] = a.reads.conflicts();
  const titles = new Set([fieldsOf(a)?.["title"], conflict?.value]);
  expect(titles).toEqual(new Set(["by a", "by b"]));
  expect(conflict).toMatchObject({ record: "record1", field: "title" });
  make(a, { kind: "forget", id: id(conflict?.id ?? "") });
  settle(a, server);
  settle(b, server);
  expect(b.reads.conflicts()).toEqual([]);
  make(b, { kind: "forget", id: id("record1") });
  settle(b, server);
  settle(a, server);
  expect(fieldsOf(a)).toBeUndefined();
});

test("[EE4] what a server changed, moved or wrote itself is set aside and told, and sync goes on (abuse 144, 146)", () => {
  const server = new TestServer(namespace);
  const a = device(server, "a", 1);
  make(a, put("record1", { title: "one", kind: "note" }), put("record2", { title: "two" }));
  settle(a, server);
  const b = device(server, "b", 1);
  const plan = b.replicas.planPull(namespace);
  const page = server.pull(plan?.after ?? "", plan?.writer, 1000);
  if (plan === undefined || "kind" in page) throw new Error("no page");
  const states = page.records.map(({ state }) => state);
  const records = page.records.map((record) => ({
    ...record,
    state: withSwapped(record.state, states),
  }));
  b.replicas.takePage(namespace, plan, { ...page, records });
  expect(fieldsOf(b)).toEqual({ kind: "note" });
  expect(fieldsOf(b, "record2")).toBeUndefined();
  expect(b.replicas.replica(namespace)?.notice).toMatch(/2 values that no member sealed/);
  make(b, put("record3", { title: "goes on" }));
  expect(pushOnce(b, server)).toBeDefined();
});

test("[EE4] what an earlier version had to set aside is shown once this one has its database, and told no more", () => {
  const server = new TestServer(namespace);
  const a = device(server, "a", 1);
  make(a, put("record1", { title: "canary", kind: "note" }));
  settle(a, server);
  let isEarlier = true;
  const cipher: typeof sealCipher = {
    ...sealCipher,
    decrypt: (byKey, sealed) =>
      isEarlier && sealed.additional.includes("tidemark value 2")
        ? undefined
        : sealCipher.decrypt(byKey, sealed),
  };
  const b = testStore({ random: seededRandom("b"), cipher });
  b.replicas.takeSealing(logAt(1), keysOf(1));
  pair(b, server);
  settle(b, server);
  expect([fieldsOf(b), found(b, "canary")]).toEqual([undefined, 0]);
  expect(b.replicas.replica(namespace)?.notice).toMatch(/Update this device/);
  isEarlier = false;
  expect(b.upkeep.openAnew()).toBe(true);
  expect([fieldsOf(b), found(b, "canary")]).toEqual([{ title: "canary", kind: "note" }, 1]);
  expect(b.replicas.replica(namespace)?.notice).toBeUndefined();
  expect(b.upkeep.openAnew()).toBe(false);
  expect(b.upkeep.check()).toEqual([]);
});

/** What a server could hand out: the title of one record in another, and words of its own. */
function withSwapped(state: RecordState, all: readonly RecordState[]): RecordState {
  const [own, other] = [state, all.find((each) => each.id !== state.id)];
  if (isTombstone(own) || other === undefined || isTombstone(other)) return state;
  const field = ring.fieldId(own.id, "title");
  const held = own.registers[field];
  const theirs = other.registers[ring.fieldId(other.id, "title")];
  if (held === undefined || theirs === undefined) throw new Error("a title is there");
  const value = own.id === id("record2") ? "plain words" : theirs.value;
  return { ...own, registers: { ...own.registers, [field]: { ...held, value } } };
}

test("[EE10] a namespace whose log is not believed is sent nothing until it is (abuse 141, 142)", () => {
  const server = new TestServer(namespace);
  const a = device(server, "a", 1);
  make(a, put("record1", { title: "canary" }));
  a.replicas.distrust(namespace, "not-allowed");
  expect(a.replicas.planPush(namespace, { ops: 9, bytes: 1e6 })).toBeUndefined();
  expect(a.replicas.sealing(namespace)).toMatchObject({
    trouble: "not-allowed",
    hasKey: true,
    length: 1,
  });
  expect(pullAll(a, server).kind).toBe("taken");
  a.replicas.takeSealing(logAt(1));
  expect(a.replicas.sealing(namespace)?.trouble).toBeUndefined();
  expect(settle(a, server)).toBe(0);
  const stranger = device(server, "s");
  stranger.replicas.distrust(namespace, "foreign");
  expect(stranger.replicas.sealing(namespace)).toMatchObject({ epoch: 0, hasKey: false });
});

test("[EE10] a server that was restored is healed with sealed states, and a refused change retried sealed", () => {
  const server = new TestServer(namespace);
  const a = device(server, "a", 1);
  const backup = server.backup();
  make(a, put("record1", { title: "canary" }));
  settle(a, server);
  server.restore(backup);
  expect(settle(a, server)).toBeGreaterThan(0);
  expect(shownBy(server)).not.toMatch(plainWords);
  const b = device(server, "b", 1);
  settle(b, server);
  expect(fieldsOf(b)).toEqual({ title: "canary" });
  server.refusals.set("record2", "quota");
  make(a, put("record2", { title: "canary two" }));
  pushOnce(a, server);
  const [refused] = a.reads.rejected();
  server.refusals.clear();
  if (refused === undefined) throw new Error("nothing was refused");
  expect(fieldsOf(a, "record2")).toEqual({ title: "canary two" });
  const again = a.changes.retryRejected(refused, at);
  expect(again.ok).toBe(true);
  settle(a, server);
  settle(b, server);
  expect(fieldsOf(b, "record2")).toEqual({ title: "canary two" });
  heal(b, server);
  expect(pullOnce(b, server).kind).toBe("taken");
});

test("[EE10] a plain line under an encrypted namespace's id is sent by no way", () => {
  const server = new TestServer(namespace);
  const bare = testStore({ random: seededRandom("bare"), cipher: undefined });
  bare.replicas.takeSealing(logAt(1), keysOf(1));
  pair(bare, server);
  make(bare, put("record1", { title: "canary" }));
  expect(bare.replicas.planPush(namespace, { ops: 9, bytes: 1e6 })).toBeUndefined();
  bare.replicas.resealRefused(namespace);
  bare.replicas.renewWriters();
  expect(bare.replicas.planPush(namespace, { ops: 9, bytes: 1e6 })).toBeUndefined();
  expect(fieldsOf(bare)).toEqual({ title: "canary" });
});
