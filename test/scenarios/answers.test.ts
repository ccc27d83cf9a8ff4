/** What requests carry and what answers mean, as an engineer would ask. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sha256 } from "../../apps/client/src/platform/hash.ts";
import { parseCursor, type Cursor } from "../../apps/server/src/domain/cursor.ts";
import {
  chainNext,
  chainStart,
  emptyDigest,
  opLine,
  type NamespaceId,
  type RecordId,
  type WriterId,
} from "../../packages/protocol/src/index.ts";
import type { Device } from "./device.ts";
import { createWorld, settle, valueOf, type Server, type World } from "./world.ts";

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

const { signal } = new AbortController();
const waiting = { timeout: 20_000, interval: 5 };

function cursorOf({ replica }: Device): Cursor {
  const cursor = parseCursor(replica.cursor);
  if (!cursor.ok) throw new Error("the server did not write this cursor");
  return cursor.value;
}

function found(device: Device, word: string): number {
  return device.store.reads.search(word, {}).length;
}

test("[EN24] what only this device changed is sent, and nothing of it comes back", async () => {
  a.put("record1", { title: "one" });
  await a.sync();
  const { length } = a.way.sent;
  a.put("record2", { title: "two" });
  a.set("record1", { title: "changed" });
  expect(await a.push()).toBe("advanced");
  expect(a.isSynced).toBe(true);
  expect(a.way.sent.slice(length)).toEqual(["push"]);
  expect(cursorOf(a)).toMatchObject({ seq: server.namespace(namespace).head.head });
  await settle(world, a, b, c);
  expect(b.titles()).toEqual({ record1: "changed", record2: "two" });
});

test("[OP4] Q1: unsent and unverified values are a view over what the server has said, search included", async () => {
  a.put("record1", { title: "gamma" });
  const expectNothing = (): void => {
    expect(a.replica.confirmed).toEqual({ digest: emptyDigest, count: 0 });
    const buckets = a.store.replicas.bucketDigests(namespace);
    expect(buckets.filter(({ digest }) => digest !== emptyDigest)).toEqual([]);
    expect(a.store.replicas.healLines(namespace, ["record1" as RecordId])).toEqual([]);
    expect([a.title("record1"), found(a, "gamma")]).toEqual(["gamma", 1]);
  };
  expectNothing();
  await a.push();
  expectNothing();
  await a.pull();
  expect(a.replica.confirmed.count).toBe(1);
  a.set("record1", { title: "delta" });
  expect([found(a, "gamma"), found(a, "delta")]).toEqual([0, 1]);
  await b.sync();
  expect(a.replica.confirmed).toEqual(b.replica.confirmed);
});

test("[PL3] Q2: a device's own ops come back by its pull, and only then have they arrived", async () => {
  a.put("record1", { title: "one" });
  await a.push();
  expect(a.replica).toMatchObject({ unsent: 0, unverified: 1, verified: false });
  expect(a.isSynced).toBe(false);
  expect(a.store.reads.get(namespace, "record1" as RecordId)?.seq).toBeNull();
  expect(await a.pull()).toBe("taken");
  expect(a.store.reads.get(namespace, "record1" as RecordId)?.seq).toBe(1);
  expect(a.replica).toMatchObject({ unverified: 0, verified: true });
  expect(a.isSynced).toBe(true);
});

test("[CH1, PS30] Q3: lines go out again byte for byte, and the chain is the hash over those bytes", async () => {
  a.put("record1", { title: 'ä \u2028 "1"', facts: [1.5, { b: 1, a: 2 }] });
  const lost = a.begin("push");
  expect(await lost.isLost()).toBe("failed: unreachable");
  a.restart();
  a.set("record1", { title: "two" });
  const { writer } = a.replica;
  if (writer === undefined) throw new Error("a writer was minted with the first op");
  expect(await a.push()).toBe("position");
  expect(await a.push()).toBe("taken");
  const [first, again, next] = a.way.bodies.map((body) => body.trimEnd().split("\n").slice(1));
  expect(again?.[0]).toBe(first?.[0]);
  const lines = [...(first ?? []), ...(next ?? [])];
  const chain = lines.reduce(
    (sum, line) => chainNext(sha256, sum, line),
    chainStart(sha256, writer),
  );
  expect(server.namespace(namespace).writers.get(writer)).toMatchObject({ acked: 2, chain });
  await settle(world, a, b);
  expect(b.title("record1")).toBe("two");
});

test("[EN3, PS1] Q4: one push is in flight per writer, and a second one is not taken", async () => {
  a.put("record1", { title: "one" });
  const [one, other] = await Promise.all([a.push(), a.push()]);
  expect([one, other].toSorted()).toEqual(["position", "taken"]);
  expect(server.namespace(namespace).head).toMatchObject({ head: 1, count: 1 });
  const held = a.hold("push");
  const stop = new AbortController();
  const running = a.run(stop.signal);
  a.put("record2", { title: "two" });
  await held.left;
  a.put("record3", { title: "three" });
  const before = a.count("push");
  b.put("record4", { title: "of b" });
  await b.push();
  await vi.waitFor(() => {
    expect(a.title("record4")).toBe("of b");
  }, waiting);
  expect(a.count("push")).toBe(before);
  held.arrives();
  await vi.waitFor(() => {
    expect(a.replica).toMatchObject({ unsent: 0, unverified: 0 });
  }, waiting);
  stop.abort();
  await running;
});

test("[PS4] Q5: seqs are unique and rising, with a hole where a record moved", async () => {
  a.put("record1", { title: "one" });
  a.put("record2", { title: "two" });
  await a.sync();
  a.set("record1", { title: "one, edited" });
  a.set("record1", { kind: "note" });
  await a.sync();
  expect([...server.namespace(namespace).idBySeq]).toEqual([
    [2, "record2"],
    [3, "record1"],
  ]);
  server.pageRecords = 1;
  expect(await b.pull()).toBe("more");
  expect(await b.pull()).toBe("taken");
  expect(b.replica.confirmed).toEqual(a.replica.confirmed);
});

test("[PL2] Q6: pages, head and digest are of one moment, whatever is pushed between and beside them", async () => {
  server.pageRecords = 2;
  for (let round = 0; round < 8; round += 1) {
    b.put(`record${String(round)}`, { title: "of b" });
    c.put("shared", { title: `of c ${String(round)}` });
    await Promise.all([a.pull(), b.push(), c.push(), a.pull()]);
    await c.pull();
    expect(a.replica.needsHeal).toBe(false);
  }
  await settle(world, a, b, c);
  for (const device of [a, b, c]) expect(device.count("digests")).toBe(0);
});

test("[PL6, PL7] Q7: the last cursor is the head's, any other the last seq delivered with the newest head", async () => {
  for (const id of ["record1", "record2", "record3"]) b.put(id, { title: id });
  await b.push();
  server.pageRecords = 2;
  const { head, mark } = server.namespace(namespace).head;
  expect(await a.pull()).toBe("more");
  expect(cursorOf(a)).toEqual({ seq: 2, head, mark });
  const last = a.begin("pull");
  await last.reaches();
  b.put("record4", { title: "after the snapshot" });
  await b.push();
  expect(await last.arrives()).toBe("taken");
  expect(cursorOf(a)).toEqual({ seq: head, head, mark });
  expect(await a.pull()).toBe("taken");
  expect(a.title("record4")).toBe("after the snapshot");
});

test("[CF6, CF11] Q12: a conflict cannot be edited, here or there; forgetting it settles it for all", async () => {
  a.put("record1", { title: "of a" });
  b.put("record1", { title: "of b" });
  await settle(world, a, b, c);
  const [conflict] = c.store.reads.conflicts();
  if (conflict === undefined) throw new Error("two values met");
  const edit = { kind: "set", id: conflict.id, fields: { value: "mine" } as never } as const;
  expect(c.change(edit)).toMatchObject({ ok: false, error: { kind: "immutable" } });
  const writer = "w".repeat(26) as WriterId;
  const line = opLine({
    n: 1,
    record: conflict.id,
    collection: "conflict",
    lamport: 2,
    at: 0,
    op: "set",
    fields: { value: "mine" },
    base: {},
  });
  const header = { writer, after: 0, chain: chainStart(sha256, writer) };
  const forced = await c.transport.push(namespace, { header, lines: [line] }, signal);
  expect(valueOf(forced).results).toEqual([{ n: 1, result: "rejected", code: "immutable" }]);
  c.forget(conflict.id);
  await settle(world, a, b, c);
  for (const device of [a, b, c]) expect(device.losers()).toEqual([]);
});

test("[TB10] Q13: a put names its parent, so that the child goes with it everywhere", async () => {
  a.put("parent1", { title: "parent" });
  a.put("child1", { title: "child" }, { parent: "parent1" });
  await settle(world, a, b, c);
  expect.soft(a.way.bodies[0]).toContain('"parent":"parent1"');
  expect(b.store.reads.get(namespace, "child1" as RecordId)?.parent).toBe("parent1");
  b.forget("parent1");
  await settle(world, b, a, c);
  for (const device of [a, b, c]) expect(device.titles()).toEqual({});
});

for (const [what, change] of [
  ["parent", { parent: "elsewhere" as RecordId }],
  ["collection", { collection: "handoff" }],
  ["wall time", { at: 1 }],
  ["clock", { lamport: 2 }],
] as const) {
  test(`[DG1, PL21] Q14: a ${what} that a server's disk changed does not pass for the record`, async () => {
    a.put("record1", { title: "one", kind: "note" });
    await a.sync();
    a.set("record1", { title: "two" });
    await settle(world, a, b);
    const { records } = server.namespace(namespace);
    const row = records.get("record1" as RecordId);
    if (row === undefined) throw new Error("it was pushed");
    expect(row.form.clocks).not.toBeNull();
    expect(await c.pull()).toBe("taken");
    expect(c.replica.confirmed).toEqual(a.replica.confirmed);
    records.set(row.form.id, { ...row, form: { ...row.form, ...change } });
    const d = await world.fresh("d");
    expect(await d.pull()).toBe("heal-due");
    expect(d.isSynced).toBe(false);
  });
}

test("[NS8] Q16: a device has a writer, an n, a clock and a cursor of its own for each namespace", async () => {
  const team = await world.team("crew");
  const inTeam = a.at(team);
  a.put("record1", { title: "one" });
  a.put("record2", { title: "two" });
  inTeam.put("record1", { title: "of the team" });
  await a.sync();
  const [personal, other] = [a.replica, inTeam.replica];
  expect(personal.writer).not.toBe(other.writer);
  const ackedOf = (id: NamespaceId, writer: WriterId | undefined): unknown =>
    [...server.namespace(id).writers.values()].find((row) => row.writer === writer)?.acked;
  expect([ackedOf(namespace, personal.writer), ackedOf(team, other.writer)]).toEqual([2, 1]);
  expect(server.namespace(team).writers.size).toBe(1);
  expect([personal.lamport, other.lamport]).toEqual([2, 1]);
  expect([cursorOf(a).seq, cursorOf(inTeam).seq]).toEqual([2, 1]);
  await settle(world, a, b);
  expect([b.title("record1"), b.at(team).title("record1")]).toEqual(["one", "of the team"]);
});
