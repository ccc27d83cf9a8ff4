/** What starts a heal, what does not, and what one does when it is cut short. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { parseCursor } from "../../apps/server/src/domain/cursor.ts";
import { storedForm } from "../../apps/server/src/store/stored-form.ts";
import {
  bucketOf,
  emptyDigest,
  tombstone,
  type NamespaceId,
  type RecordId,
} from "../../packages/protocol/src/index.ts";
import type { Device } from "./device.ts";
import { createWorld, settle, valueOf, type Server, type World } from "./world.ts";

const { signal } = new AbortController();
let world: World;
let server: Server;
let namespace: NamespaceId;
let a: Device;
let b: Device;
let c: Device;

beforeEach(async () => {
  world = await createWorld();
  ({ server, namespace, a, b, c } = world);
});

afterEach(() => {
  world.close();
});

function seqOf(device: Device): number {
  const cursor = parseCursor(device.replica.cursor);
  return cursor.ok ? cursor.value.seq : 0;
}

function inOneBucket(count: number): readonly string[] {
  const names = Array.from({ length: count * 1_000 }, (_, index) => `record${String(index)}`);
  return names.filter((name) => bucketOf(name as RecordId) === 7).slice(0, count);
}

/** A server that lost the records of a device that is no more; a still has them. */
async function lostRecords(): Promise<void> {
  const backup = server.backup();
  c.put("record1", { title: "one" });
  c.put("record2", { title: "two" });
  await settle(world, a, c);
  server.restore(backup);
}

test("[HL24] C2: an answer from before an acknowledged push starts no heal, and is not called synced", async () => {
  b.put("record1", { title: "one" });
  await settle(world, a, b);
  b.put("record2", { title: "two" });
  await b.push();
  const late = a.begin("pull");
  await late.reaches();
  a.put("record3", { title: "three" });
  expect(await a.push()).toBe("taken");
  expect(await late.arrives()).toBe("more");
  expect(a.replica).toMatchObject({ unverified: 1, needsHeal: false });
  expect(a.isSynced).toBe(false);
  await settle(world, a, b, c);
  for (const device of [a, b, c]) expect(device.count("digests")).toBe(0);
  expect(a.isSynced).toBe(true);
});

test("[PL8] C5: a device whose first pages held a record is told that it was forgotten since", async () => {
  for (const id of ["record1", "record2", "record3"]) a.put(id, { title: `secret of ${id}` });
  await a.sync();
  server.pageRecords = 1;
  const d = await world.fresh("d");
  expect(await d.pull()).toBe("more");
  expect(d.title("record1")).toBe("secret of record1");
  a.forget("record1");
  await a.sync();
  expect(await d.pull()).toBe("more");
  expect(await d.pull()).toBe("more");
  expect(await d.pull()).toBe("taken");
  expect(d.title("record1")).toBeUndefined();
  expect([...d.store.reads.exportLines(namespace)].join()).not.toContain("secret of record1");
  expect(d.replica.needsHeal).toBe(false);
  await settle(world, a, d);
  expect(d.count("digests")).toBe(0);
});

test("[HL23] Q8: a cursor falls when a heal has finished, and at no other time", async () => {
  await lostRecords();
  const before = seqOf(a);
  expect(await a.pull()).toBe("failed: history");
  expect(seqOf(a)).toBe(before);
  const lost = a.hold("heal");
  const cut = a.heal();
  await lost.left;
  lost.isLost();
  expect(await cut).toBe("failed: unreachable");
  expect(seqOf(a)).toBe(before);
  const healing = a.begin("heal");
  await healing.reaches();
  expect(await a.pull()).toBe("failed: history");
  expect(seqOf(a)).toBe(before);
  const { head } = server.namespace(namespace).head;
  expect(await healing.arrives()).toBe("healed");
  expect(seqOf(a)).toBe(head);
  await settle(world, a, b);
  expect(b.titles()).toEqual({ record1: "one", record2: "two" });
});

test("[HL31] what is more than one answer has room for comes by one heal all the same", async () => {
  const backup = server.backup();
  c.put("record1", { title: "small" });
  await settle(world, a, b, c);
  const text = "x".repeat(60_000);
  const names = Array.from({ length: 12 }, (_, index) => `large${index}`);
  for (const name of names) {
    c.put(name, { title: name });
    for (let part = 0; part < 15; part += 1) c.set(name, { [`part${part}`]: text });
    expect(await c.push()).toBe("advanced");
  }
  for (let answer = await a.pull(); answer === "more";) answer = await a.pull();
  server.restore(backup);
  await a.pull();
  expect(await a.heal()).toBe("healed");
  await b.pull();
  expect(await b.heal()).toBe("healed");
  expect(await b.pull()).toBe("taken");
  const all = [["record1", "small"], ...names.map((name) => [name, name])] as const;
  expect(b.titles()).toEqual(Object.fromEntries(all));
});

test("[HL40] however many records somebody invents in one bucket, its list is one that a device takes", async () => {
  const tombstoneRow = { seq: 1, bucket: 7, digest: emptyDigest, bytes: 0 };
  const { records } = server.namespace(namespace);
  for (let index = 0; index < 60_000; index += 1) {
    const id = String(index).padStart(64, "x") as RecordId;
    const form = storedForm(tombstone(id, "observation"));
    records.set(id, { ...tombstoneRow, form, via: undefined, author: undefined });
  }
  const listed: RecordId[] = [];
  for (let after: RecordId | undefined; ;) {
    const page = valueOf(await a.transport.bucket(namespace, { bucket: 7, after }, signal));
    listed.push(...page.records.map(([id]) => id));
    if (page.more !== true) break;
    after = listed.at(-1);
  }
  expect(listed).toEqual([...records.keys()].toSorted());
});

test("[HL40] a bucket that fills many pages heals both ways after a restore", async () => {
  const names = inOneBucket(9);
  const backup = server.backup();
  for (const name of names) a.put(name, { title: name });
  await settle(world, a, b);
  a.forget(names[4] ?? "");
  await settle(world, a);
  server.restore(backup);
  server.pageRecords = 2;
  c.put(names[8] ?? "", { title: names[8] ?? "" });
  await settle(world, c, a, b);
  const left = names.filter((_, index) => index !== 4);
  for (const device of [a, b, c]) {
    expect(device.titles()).toEqual(Object.fromEntries(left.map((name) => [name, name])));
  }
});

test("[HL27] Q21: a heal that a crash cuts short is due again after it, from its beginning", async () => {
  await lostRecords();
  await a.pull();
  const held = a.hold("heal");
  const healing = a.heal();
  await held.reaches();
  a.restart();
  held.isLost();
  expect(await healing).toBe("failed: unreachable");
  expect(a.replica).toMatchObject({ needsHeal: true, healWhy: "history", verified: false });
  expect(a.isSynced).toBe(false);
  await settle(world, a, b);
  expect(b.titles()).toEqual({ record1: "one", record2: "two" });
});

test("[EN1] Q22: a push goes on beside a heal, and neither takes anything from the other", async () => {
  await lostRecords();
  await a.pull();
  a.put("record3", { title: "three" });
  for (const id of ["other1", "other2"]) b.put(id, { title: id });
  await b.push();
  const healing = a.begin("heal");
  await healing.reaches();
  expect(await a.push()).toBe("heal-due");
  expect(server.title(namespace, "record3")).toBe("three");
  expect(await healing.arrives()).toBe("healed");
  await settle(world, a, b);
  const others = { other1: "other1", other2: "other2" };
  expect(b.titles()).toEqual({ record1: "one", record2: "two", record3: "three", ...others });
});

test("[CH4] Q22: after a fork nothing is pushed before the heal has finished", async () => {
  const backup = server.backup();
  a.put("record1", { title: "one" });
  await settle(world, a, b);
  server.restore(backup);
  a.put("record2", { title: "two" });
  const before = a.way.sent.length;
  await a.sync();
  expect(a.reports).toContainEqual({ kind: "fork", cause: "server-restored" });
  const order = a.way.sent.slice(before).filter((kind) => kind === "push" || kind === "heal");
  expect(order.lastIndexOf("push")).toBeGreaterThan(order.indexOf("heal"));
  // At most one push left before the fork was seen.
  expect(order.indexOf("heal")).toBeLessThanOrEqual(1);
  await settle(world, a, b);
  expect(b.titles()).toEqual({ record1: "one", record2: "two" });
});

test("[HL5, HL33] Q23: a heal is a write: a reader's only takes, and tells what it alone has", async () => {
  const team = await world.team("crew");
  const m = await world.member("mia", team, "reader");
  const backup = server.backup();
  a.at(team).put("record1", { title: "one" });
  await settle(world, a.at(team), m);
  // Nobody who may write has it any more.
  server.restore(backup);
  await m.sync();
  expect(m.reports).toContainEqual({ kind: "heal-left", left: 1 });
  expect(server.state(team, "record1")).toBeUndefined();
  expect(m.title("record1")).toBe("one");
  expect(m.isSynced).toBe(false);
  // Headers alone: what it asks for, and no states.
  for (const body of m.way.bodies) expect(body.trimEnd().split("\n")).toHaveLength(1);
  const { lamport } = m.replica;
  const held = m.store.replicas.healLines(team, ["record1" as RecordId]);
  const lines = held.map(({ line }) => line);
  const forced = await m.transport.heal(team, { header: { lamport, want: [] }, lines }, signal);
  expect(valueOf(forced).tail.refused).toEqual([{ id: "record1", code: "forbidden" }]);
  expect(server.state(team, "record1")).toBeUndefined();
  const heals = m.count("digests");
  await m.sync();
  expect(m.count("digests") - heals).toBeLessThanOrEqual(6);
});
