/** Ops that the server refused: they stay with their author, and with nobody else. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { quotaPreset } from "../../apps/server/src/domain/quota.ts";
import type { LiveRecord, NamespaceId, RecordId } from "../../packages/protocol/src/index.ts";
import type { Device } from "./device.ts";
import { createWorld, settle, valueOf, type Server, type World } from "./world.ts";

let world: World;
let server: Server;
let namespace: NamespaceId;
let a: Device;
let b: Device;

beforeEach(async () => {
  world = await createWorld();
  ({ server, namespace, a, b } = world);
});

afterEach(() => {
  world.close();
});

function codes(device: Device): readonly string[] {
  return device.store.reads.rejected(device.namespace).map(({ code }) => code);
}

test("[OP20] C1: a refused value reaches nobody, not even by a heal, and no heal is made for it", async () => {
  a.put("first", { title: "one" });
  await settle(world, a, b);
  const backup = server.backup();
  a.put("second", { title: "two" });
  await settle(world, a, b);
  server.quota = { ...quotaPreset, recordsMax: 2 };
  a.put("refused", { title: "nobody else's" });
  a.set("first", { title: "one, edited" });
  await a.sync();
  expect(a.count("digests")).toBe(0);
  expect(codes(a)).toEqual(["quota"]);
  expect(a.title("refused")).toBe("nobody else's");
  expect(a.isSynced).toBe(false);
  // There is room again and a heal for another cause: now the value could slip in.
  server.quota = quotaPreset;
  server.restore(backup);
  await settle(world, a, b);
  expect(a.count("heal")).toBeGreaterThan(0);
  expect(server.title(namespace, "second")).toBe("two");
  expect(server.state(namespace, "refused")).toBeUndefined();
  expect(b.title("refused")).toBeUndefined();
  expect(a.title("refused")).toBe("nobody else's");
  expect(codes(a)).toEqual(["quota"]);
});

test("[OP20, PS9] C1: the part that made a record too large stays here when a heal delivers the rest", async () => {
  const empty = server.backup();
  a.put("record1", { title: "grows" });
  const parts = Array.from({ length: 17 }, (_, index) => `part${String(index)}`);
  for (const part of parts) a.set("record1", { [part]: "x".repeat(63_000) });
  await a.sync();
  expect(codes(a)).toEqual(["too-large"]);
  server.restore(empty);
  await settle(world, a, b);
  const id = "record1" as RecordId;
  const fields = ["title", ...parts];
  const { registers } = server.state(namespace, "record1") as LiveRecord;
  expect(new Set(Object.keys(registers))).toEqual(new Set(fields.slice(0, -1)));
  expect(Object.keys(b.store.reads.get(namespace, id)?.fields ?? {})).not.toContain("part16");
  expect(Object.keys(a.store.reads.get(namespace, id)?.fields ?? {})).toContain("part16");
  expect(codes(a)).toEqual(["too-large"]);
});

test("[OP22] C3: a change of a refused record ends as refused too, without a loop of heals", async () => {
  server.quota = { ...quotaPreset, recordsMax: 0 };
  a.put("refused", { title: "one" });
  await a.sync();
  a.set("refused", { title: "two" });
  for (let round = 0; round < 4; round += 1) {
    expect(await a.sync()).toMatchObject({ isDone: true });
  }
  expect(codes(a)).toEqual(["quota", "depends"]);
  expect(a.count("digests")).toBeLessThanOrEqual(1);
  expect(a.replica).toMatchObject({ unsent: 0, unverified: 0, needsHeal: false });
  expect(a.title("refused")).toBe("two");
  expect(server.state(namespace, "refused")).toBeUndefined();
});

test("[OP23] C3: an edit whose record nobody has any more ends as refused after one heal", async () => {
  const empty = server.backup();
  b.put("gone", { title: "one" });
  await settle(world, a, b);
  server.restore(empty);
  a.set("gone", { title: "two" });
  // No heal can bring the record back: there is no room for it.
  server.quota = { ...quotaPreset, recordsMax: 0 };
  await a.sync();
  expect(codes(a)).toEqual(["unknown-record"]);
  const pushes = a.count("push");
  for (let round = 0; round < 3; round += 1) await a.sync();
  expect(a.count("push")).toBe(pushes);
  expect(a.title("gone")).toBe("two");
  // Three heals for each of four syncs, of two requests each: what has no room stays a difference.
  expect(a.count("digests")).toBeLessThanOrEqual(24);
});

test("[OP5] Q17: a record of another collection is refused, and both sides keep what they had", async () => {
  a.put("record1", { title: "of a" });
  await a.sync();
  b.put("record1", { title: "of b" }, { collection: "handoff" });
  await b.sync();
  expect(codes(b)).toEqual(["collection-mismatch"]);
  await settle(world, a, b);
  expect(server.state(namespace, "record1")).toMatchObject({ collection: "observation" });
  expect(a.title("record1")).toBe("of a");
  const [refused] = b.store.reads.rejected(namespace);
  expect(refused === undefined ? 0 : b.store.changes.dropRejected(refused)).toBe(1);
  expect(b.title("record1")).toBe("of a");
});

test("[OP20, OP21] Q18: a retry is a new op over what the person sees; a drop is the end of the value", async () => {
  const team = await world.team("crew");
  const m = await world.member("mia", team, "writer");
  const owner = a.at(team);
  owner.put("record1", { title: "start" });
  owner.put("record2", { title: "start" });
  await settle(world, owner, m);
  m.set("record1", { title: "of mia" });
  m.set("record2", { title: "dropped" });
  valueOf(await a.accounts.setRole({ namespace: team, user: m.user }, "reader", stop));
  await m.push();
  expect(codes(m)).toEqual(["forbidden", "forbidden"]);
  owner.set("record1", { title: "of the owner" });
  await owner.sync();
  valueOf(await a.accounts.setRole({ namespace: team, user: m.user }, "writer", stop));
  await m.sync();
  const before = m.replica.lamport;
  const [retried, dropped] = m.store.reads.rejected(team);
  if (retried === undefined || dropped === undefined) throw new Error("two ops were refused");
  expect(m.title("record2")).toBe("dropped");
  expect(m.store.changes.dropRejected(dropped)).toBe(1);
  expect(m.title("record2")).toBe("start");
  const [again] = valueOf(m.store.changes.retryRejected(retried, 0));
  expect(again?.lamport).toBe(before + 1);
  await settle(world, owner, m);
  expect(codes(m)).toEqual([]);
  expect([owner.title("record1"), owner.title("record2")]).toEqual(["of mia", "start"]);
  expect(owner.losers()).toEqual([]);
});

test("[OP22] Q19: what was changed after a refused put is one item with it, and goes out as one op", async () => {
  server.quota = { ...quotaPreset, recordsMax: 0 };
  a.put("record1", { title: "one" });
  a.set("record1", { title: "two" });
  a.set("record1", { kind: "note" });
  await a.sync();
  expect(codes(a)).toEqual(["quota", "depends", "depends"]);
  server.quota = quotaPreset;
  const [put] = a.store.reads.rejected(namespace);
  if (put === undefined) throw new Error("the put was refused");
  expect(valueOf(a.store.changes.retryRejected(put, 0))).toHaveLength(1);
  expect(codes(a)).toEqual([]);
  await settle(world, a, b);
  expect(a.way.bodies.at(-1)?.trim().split("\n")).toHaveLength(2);
  expect(b.store.reads.get(namespace, "record1" as RecordId)?.fields).toEqual({
    title: "two",
    kind: "note",
  });
});

const stop = new AbortController().signal;
