/** What was forgotten stays forgotten, whoever comes back with it. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { scrubbed } from "../../apps/client/src/store/testing/test-store.ts";
import { isTombstone, type NamespaceId, type RecordId } from "../../packages/protocol/src/index.ts";
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

function isForgotten(record: string): boolean {
  const state = server.state(namespace, record);
  return state !== undefined && isTombstone(state);
}

test("[HL25] C6: a device that knew of a forget brings it back to a restored server before it says synced", async () => {
  await settle(world, a, b, c);
  const backup = server.backup();
  b.put("record1", { title: "secret" });
  await b.sync();
  await c.sync();
  b.forget("record1");
  await b.sync();
  await a.sync();
  server.restore(backup);
  await a.pull();
  expect(a.isSynced).toBe(false);
  await a.sync();
  expect(a.isSynced).toBe(true);
  expect(isForgotten("record1")).toBe(true);
  // Both devices that knew are retired; the one that was away the whole time comes back.
  expect(c.title("record1")).toBe("secret");
  const d = await world.fresh("d");
  await settle(world, c, d);
  expect([c.title("record1"), d.title("record1")]).toEqual([undefined, undefined]);
  expect(isForgotten("record1")).toBe(true);
});

test("[TB2] Q9: forgetting a record that the server does not know makes its tombstone", async () => {
  const empty = server.backup();
  c.put("record1", { title: "secret" });
  await settle(world, a, b, c);
  server.restore(empty);
  const d = await world.fresh("d");
  d.put("record2", { title: "brings the clock to where it was" });
  await d.push();
  b.forget("record1");
  expect(await b.push()).toBe("taken");
  expect(b.replica).toMatchObject({ unsent: 0, rejected: 0 });
  expect(isForgotten("record1")).toBe(true);
  d.forget("record2");
  await d.sync();
  await settle(world, b, c, a);
  expect([a.titles(), b.titles(), c.titles()]).toEqual([{}, {}, {}]);
});

test("[TB1] Q10: of two forgets the first stays; the second changes nothing and is not refused", async () => {
  c.put("record1", { title: "secret" });
  await settle(world, a, b, c);
  a.forget("record1");
  b.forget("record1");
  await a.push();
  const { head, digest } = server.namespace(namespace).head;
  expect(await b.push()).toBe("taken");
  expect(b.replica.rejected).toBe(0);
  expect(server.namespace(namespace).head).toMatchObject({ head, digest });
  await settle(world, a, b, c);
  expect(c.title("record1")).toBeUndefined();
  for (const device of [a, b, c]) expect(device.count("digests")).toBe(0);
});

test("[TB3] Q11: a child that is pushed after its parent was forgotten is a tombstone", async () => {
  c.put("parent1", { title: "parent" });
  await settle(world, a, b, c);
  a.forget("parent1");
  await a.sync();
  b.put("child1", { title: "child" }, { parent: "parent1" });
  expect(await b.push()).toBe("taken");
  expect(isForgotten("child1")).toBe(true);
  await settle(world, a, b, c);
  expect([a.titles(), b.titles(), c.titles()]).toEqual([{}, {}, {}]);
});

test("[TB3] Q11: a child that a heal brings after its parent was forgotten is a tombstone", async () => {
  c.put("parent1", { title: "parent" });
  await settle(world, a, b, c);
  const backup = server.backup();
  c.put("child1", { title: "child" }, { parent: "parent1" });
  await c.sync();
  server.restore(backup);
  a.forget("parent1");
  expect(await a.push()).toBe("taken");
  await c.sync();
  expect(isForgotten("child1")).toBe(true);
  await settle(world, a, b, c);
  expect([a.titles(), b.titles(), c.titles()]).toEqual([{}, {}, {}]);
});

test("[OP18, TB1] putting an id that was forgotten elsewhere ends as forgotten, and leaves the view", async () => {
  a.put("derived", { title: "secret" });
  await a.sync();
  a.forget("derived");
  await a.sync();
  b.put("derived", { title: "secret" });
  b.set("derived", { kind: "note" });
  expect(b.title("derived")).toBe("secret");
  expect(await b.push()).toBe("taken");
  await settle(world, a, b, c);
  expect(isForgotten("derived")).toBe(true);
  expect([b.title("derived"), c.title("derived")]).toEqual([undefined, undefined]);
  expect(b.store.reads.search("secret", { includeHidden: true })).toEqual([]);
  expect(b.replica).toMatchObject({ unsent: 0, unverified: 0, rejected: 0 });
  const again = { kind: "put", id: "derived" as RecordId, collection: "observation" } as const;
  expect(b.change({ ...again, fields: scrubbed({}) })).toMatchObject({
    ok: false,
    error: { kind: "forgotten" },
  });
});
