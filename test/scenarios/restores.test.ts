/** Servers that come back from a backup, and what their devices still know. */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { NamespaceId, RecordId } from "../../packages/protocol/src/index.ts";
import type { Device } from "./device.ts";
import { createWorld, settle, type Server, type World } from "./world.ts";

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

/** A record that all three hold. */
async function start(): Promise<void> {
  c.put("record1", { title: "start" });
  await settle(world, a, b, c);
}

test("[HL2] C7: an acknowledged value that a restored server lost, and a later one beat, is a conflict", async () => {
  await start();
  const backup = server.backup();
  a.set("record1", { title: "of a" });
  await a.sync();
  expect(a.isSynced).toBe(true);
  server.restore(backup);
  b.put("record2", { title: "raises the clock" });
  b.set("record1", { title: "of b" });
  expect(await b.push()).toBe("advanced");
  await settle(world, a, b, c);
  for (const device of [a, b, c]) {
    expect([device.title("record1"), device.losers()]).toEqual(["of b", ["of a"]]);
  }
});

test("[HL2] C7: a value that was taken by a restored server, and loses to what a heal brings, is a conflict", async () => {
  await start();
  const backup = server.backup();
  a.put("record2", { title: "raises the clock" });
  a.set("record1", { title: "of a" });
  await a.sync();
  server.restore(backup);
  b.set("record1", { title: "of b" });
  expect(await b.push()).toBe("advanced");
  await settle(world, a, b, c);
  for (const device of [a, b, c]) {
    expect([device.title("record1"), device.losers()]).toEqual(["of a", ["of b"]]);
  }
});

test("[MK2] C8: no page of a restored and regrown server is applied before a heal", async () => {
  await start();
  const backup = server.backup();
  c.set("record1", { title: "of c" });
  await c.sync();
  await a.sync();
  // The author's device is lost, so that only this one still has the value.
  server.restore(backup);
  b.put("record2", { title: "raises the clock" });
  b.set("record1", { title: "of b" });
  await b.push();
  expect(server.namespace(namespace).head.head).toBeGreaterThan(a.replica.head);
  expect.soft(await a.pull()).toBe("failed: history");
  expect.soft([a.title("record1"), a.title("record2")]).toEqual(["of c", undefined]);
  expect.soft(a.replica.needsHeal).toBe(true);
  await settle(world, a, b);
  for (const device of [a, b]) {
    expect([device.title("record1"), device.losers()]).toEqual(["of b", ["of c"]]);
  }
});

test("[PL7] C8: a device in the middle of its pages notices a restored server as well", async () => {
  await start();
  c.put("record2", { title: "start" });
  await settle(world, a, b, c);
  const backup = server.backup();
  c.set("record1", { title: "of c" });
  c.put("record3", { title: "of c" });
  await c.push();
  server.pageRecords = 1;
  expect(await a.pull()).toBe("more");
  expect(a.title("record1")).toBe("of c");
  server.restore(backup);
  b.put("record4", { title: "raises the clock" });
  b.set("record1", { title: "of b" });
  await b.push();
  expect.soft(await a.pull()).toBe("failed: history");
  await settle(world, a, b);
  expect([b.title("record1"), b.losers()]).toEqual(["of b", ["of c"]]);
});

test("[HL23] C9: after one heal with a server that is behind, its changes arrive by pull again", async () => {
  await start();
  const backup = server.backup();
  for (const id of ["record2", "record3", "record4", "record5"]) c.put(id, { title: id });
  await settle(world, a, c);
  const ahead = a.replica.head;
  server.restore(backup);
  expect(await a.pull()).toBe("failed: history");
  expect(await a.heal()).toBe("healed");
  expect(await a.pull()).toBe("taken");
  expect(a.isSynced).toBe(true);
  const heals = a.count("digests");
  await b.sync();
  for (const id of ["later1", "later2", "later3"]) {
    b.put(id, { title: id });
    await b.sync();
    expect(await a.pull()).toBe("taken");
    expect([a.title(id), a.isSynced]).toEqual([id, true]);
  }
  expect(a.count("digests")).toBe(heals);
  expect(a.replica.head).toBeGreaterThan(ahead);
});

test("[OP19] C11: a late answer of a restored and regrown server does not take an op for seen", async () => {
  const empty = server.backup();
  a.put("record1", { title: "acknowledged" });
  const late = a.begin("pull");
  expect(await a.push()).toBe("taken");
  server.restore(empty);
  b.put("record2", { title: "regrown" });
  await b.push();
  await late.reaches();
  await late.arrives();
  expect.soft(a.replica.unsent + a.replica.unverified).toBe(1);
  expect.soft(a.title("record1")).toBe("acknowledged");
  expect.soft(a.isSynced).toBe(false);
  await settle(world, a, b, c);
  for (const device of [a, b, c]) expect(device.title("record1")).toBe("acknowledged");
});

test("[CF13] C14: two values under one clock both survive, whichever side is asked first", async () => {
  await start();
  a.put("of-a", { title: "makes the writer" });
  await settle(world, a, b, c);
  const [backup, home] = [server.backup(), a.backup()];
  a.set("record1", { title: "seven" });
  await settle(world, a, c);
  server.restore(backup);
  a.restore(home);
  a.set("record1", { title: "eight" });
  expect(await a.push()).toBe("advanced");
  const clockOf = (device: Device): unknown =>
    device.store.reads.history(namespace, "record1" as never)[0];
  const { lamport, writer } = clockOf(a) as { lamport: number; writer: string };
  expect(clockOf(c)).toMatchObject({ lamport, writer });
  // The record moves beyond the other's cursor, so that a page could bring it.
  a.set("record1", { kind: "note" });
  await a.push();
  await b.sync();
  await settle(world, c, a, b);
  for (const device of [a, b, c]) {
    expect([device.title("record1"), device.losers()]).toEqual(["seven", ["eight"]]);
  }
});

test("[HL36] who wrote what a heal brings is known, as it is of what a pull brings", async () => {
  await start();
  const backup = server.backup();
  a.put("record2", { title: "of a" });
  await a.sync();
  server.restore(backup);
  // By a writer that this device has not heard of.
  b.put("record3", { title: "of b" });
  await b.sync();
  expect(await a.pull()).toBe("failed: history");
  await settle(world, a, b);
  const item = a.store.reads.observation(namespace, "record3" as RecordId);
  expect(item?.author.device).toBe(b.name);
});
