/** Pushes that their answers verify, and what may come between the answer and its taking. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
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
  c.put("record1", { title: "start" });
  await settle(world, a, b, c);
});

afterEach(() => {
  world.close();
});

const waiting = { timeout: 20_000, interval: 5 };

function found(device: Device, word: string): number {
  return device.store.reads.search(word, {}).length;
}

/** Two ops, of which the first is answered and not yet confirmed: that comes with the next push. */
async function pushHalf(): Promise<void> {
  a.put("record2", { title: "two" });
  a.put("record3", { title: "three" });
  expect(await a.push(1)).toBe("taken");
  expect(a.replica).toMatchObject({ unsent: 1, unverified: 1, verified: false });
}

test("[PS32] a process that dies between answer and confirmation finds its ops by their echo", async () => {
  await pushHalf();
  b.set("record1", { title: "of b" });
  await b.sync();
  a.restart();
  const again = a.at(namespace);
  expect(again.replica).toMatchObject({ unsent: 1, unverified: 1, verified: false });
  expect(await again.push()).toBe("taken");
  expect(again.isSynced).toBe(false);
  await settle(world, again, b, c);
  expect(again.titles()).toEqual({ record1: "of b", record2: "two", record3: "three" });
});

test("[PS32] a server that lost the push and grew back to the same head confirms nothing of it", async () => {
  const backup = server.backup();
  await pushHalf();
  server.restore(backup);
  b.put("record4", { title: "of b" });
  expect(await b.push()).toBe("advanced");
  expect(server.namespace(namespace).head.head).toBe(a.replica.head);
  expect(await a.push()).toBe("fork: server-restored");
  await settle(world, a, b, c);
  const titles = { record1: "start", record2: "two", record3: "three", record4: "of b" };
  for (const device of [a, b, c]) {
    expect([device.titles(), device.losers()]).toEqual([titles, []]);
  }
});

test("[PS32] a copy of the home takes over what the other one sent, and waits for its echo", async () => {
  await pushHalf();
  const twin = a.clone("twin");
  expect(await a.push()).toBe("advanced");
  expect(await twin.push()).toBe("position");
  expect(twin.replica).toMatchObject({ unsent: 0, unverified: 2, verified: false });
  twin.put("record4", { title: "of twin" });
  expect(await twin.push()).toBe("taken");
  a.put("record5", { title: "of a" });
  expect(await a.push()).toBe("fork: home-cloned");
  await settle(world, a, twin, b, c);
  const [record4, record5] = ["of twin", "of a"];
  const titles = { record1: "start", record2: "two", record3: "three", record4, record5 };
  expect([b.titles(), b.losers()]).toEqual([titles, []]);
});

test("[PS32] a parent that is forgotten between two pushes takes the confirmed child along", async () => {
  a.put("parent", { title: "parent" });
  a.put("child1", { title: "kid one" }, { parent: "parent" });
  a.put("child2", { title: "kid two" }, { parent: "parent" });
  expect(await a.push(2)).toBe("taken");
  await b.pull();
  b.forget("parent");
  await b.push();
  expect(await a.push()).toBe("taken");
  expect(a.replica).toMatchObject({ unsent: 0, verified: false });
  await settle(world, a, b, c);
  for (const device of [a, b, c]) {
    expect([device.titles(), found(device, "kid")]).toEqual([{ record1: "start" }, 0]);
  }
});

test("[PS32] a page from before the push that comes after its confirmation takes nothing back", async () => {
  const early = a.begin("pull");
  await early.reaches();
  await pushHalf();
  b.set("record1", { title: "of b" });
  await b.push();
  const next = a.begin("push");
  await vi.waitFor(() => {
    expect(a.replica).toMatchObject({ unsent: 1, unverified: 0, verified: true });
  }, waiting);
  const { cursor, confirmed } = a.replica;
  await early.arrives();
  expect(a.replica).toMatchObject({ cursor, confirmed, needsHeal: false });
  await next.reaches();
  expect(await next.arrives()).toBe("taken");
  expect(a.isSynced).toBe(false);
  await settle(world, a, b, c);
  expect(a.titles()).toEqual({ record1: "of b", record2: "two", record3: "three" });
});

test("[PS32] a push that a page has shown in part is not confirmed over what the page left out", async () => {
  for (const id of ["record2", "record3", "record4"]) a.put(id, { title: id });
  expect(await a.push(2)).toBe("taken");
  b.put("record5", { title: "record5" });
  await b.push();
  server.pageRecords = 1;
  expect(await a.pull()).toBe("more");
  const { cursor } = a.replica;
  expect(await a.push()).toBe("taken");
  expect(a.replica).toMatchObject({ cursor, unsent: 0, unverified: 3, verified: false });
  await settle(world, a, b, c);
  expect(a.titles()).toEqual(b.titles());
  expect(a.title("record5")).toBe("record5");
});

test("[OP6] records of all kinds of lines stand alike where they were made and where they were pulled", async () => {
  const title = 'x "y" \\ \n \u0001 \u2028 😀 ,"a":1';
  a.put("plain", { title, list: ['{"a":', ","], n: -999_999_999_999_999 });
  a.put("numbers", { 1: [1, null], 10: 0, 2: { b: { c: [{ d: 2 }] }, a: 2.5e-7 }, z: 2 ** 53 - 1 });
  a.put("__proto__", { "tag/x": true, "tag/ä-ö": null, A_: ['"c":'], narrative: "" });
  a.put("odd", { v: 1 }, { collection: "later-version" });
  a.put("below", { v: 1.5 }, { collection: "later-version", parent: "odd" });
  a.set("plain", { "tag/x": true, title: "again" });
  a.set("__proto__", { narrative: "changed" });
  expect(await a.push()).toBe("advanced");
  await settle(world, a, b);
  const held = ({ store }: Device) =>
    ["plain", "numbers", "__proto__", "odd", "below"].map((id) => {
      const view = store.reads.get(namespace, id as RecordId);
      const [delivered] = store.replicas.healLines(namespace, [id as RecordId]);
      const {
        past: _past,
        author: _author,
        ...state
      } = JSON.parse(delivered?.line ?? "{}") as Readonly<Record<string, unknown>>;
      return { state, seq: view?.seq, fields: view?.fields };
    });
  expect(held(a)).toEqual(held(b));
});

test("[PS32] a head that a server regrew to with other records is not the head before the push", async () => {
  a.put("record2", { title: "two" });
  await settle(world, a, b, c);
  const backup = server.backup();
  c.put("lost", { title: "of c" });
  await settle(world, a, c);
  server.restore(backup);
  b.put("regrown", { title: "of b" });
  expect(await b.push()).toBe("advanced");
  const { head, cursor } = a.replica;
  expect(server.namespace(namespace).head.head).toBe(head);
  a.put("record3", { title: "three" });
  expect(await a.push()).toBe("taken");
  expect(a.replica).toMatchObject({ cursor, unverified: 1, verified: false });
  await settle(world, a, b, c);
  const [lost, regrown] = ["of c", "of b"];
  const titles = { record1: "start", record2: "two", record3: "three", lost, regrown };
  for (const device of [a, b, c]) {
    expect([device.titles(), device.losers()]).toEqual([titles, []]);
  }
});

test("[CL20] a page that a confirmed push has overtaken is asked for again, and not forgotten", async () => {
  const [push, pull] = [a.hold("push"), a.hold("pull")];
  a.put("record2", { title: "of a" });
  const sync = a.sync();
  await push.reaches();
  b.put("record3", { title: "of b" });
  expect(await b.push()).toBe("taken");
  await pull.reaches();
  push.arrives();
  await vi.waitFor(() => {
    expect(a.replica.unsent).toBe(0);
  }, waiting);
  pull.arrives();
  expect((await sync).isDone).toBe(true);
  expect(a.title("record3")).toBe("of b");
  expect([a.isSynced, a.replica.head]).toEqual([true, server.namespace(namespace).head.head]);
});

test("[CL20] a lost answer whose ops are settled is not taken for a head that was reached", async () => {
  b.forget("record1");
  await b.sync();
  a.set("record1", { title: "late" });
  const lost = a.begin("push");
  await lost.isLost();
  expect(await a.push()).toBe("position");
  expect(a.replica).toMatchObject({ unsent: 0, unverified: 1, verified: false });
  expect(a.isSynced).toBe(false);
  await settle(world, a, b, c);
});
