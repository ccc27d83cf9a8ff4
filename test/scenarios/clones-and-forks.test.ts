/** Homes that come back from a copy, or live on twice. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { quotaPreset } from "../../apps/server/src/domain/quota.ts";
import type { NamespaceId } from "../../packages/protocol/src/index.ts";
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

function unsentLamports({ store, namespace }: Device): readonly number[] {
  const plan = store.replicas.planPush(namespace, { ops: 99, bytes: 99_999 });
  return (plan?.lines ?? []).map((line) => (JSON.parse(line) as { lamport: number }).lamport);
}

function conflictsOnServer(): number {
  const rows = [...server.namespace(namespace).records.values()];
  return rows.filter(({ form }) => form.collection === "conflict").length;
}

test("[CH10] C10: a restored home is found by its first pull, before the page is applied", async () => {
  a.put("record1", { title: "one" });
  await a.sync();
  const home = a.backup();
  for (const id of ["record6", "record7", "record8"]) a.put(id, { title: id });
  await a.sync();
  a.restore(home);
  a.put("other6", { title: "other six" });
  a.put("other7", { title: "other seven" });
  const { writer, cursor } = a.replica;
  expect(await a.pull()).toBe("fork: home-restored");
  expect(a.replica).toMatchObject({ cursor, unsent: 2, confirmed: { count: 1 } });
  expect(a.replica.writer).not.toBe(writer);
  expect(a.title("record6")).toBeUndefined();
  await settle(world, a, b);
  expect(b.titles()).toEqual({
    record1: "one",
    record6: "record6",
    record7: "record7",
    record8: "record8",
    other6: "other six",
    other7: "other seven",
  });
  expect(b.losers()).toEqual([]);
});

test("[CH10] C10: a restored home that only reads notices it as well, and tells its person", async () => {
  a.put("record1", { title: "one" });
  await a.sync();
  const home = a.backup();
  a.put("record2", { title: "two" });
  await a.sync();
  a.restore(home);
  expect(await a.pull()).toBe("fork: home-restored");
  expect(a.replica.notice).toContain("older copy");
  await settle(world, a, b);
  expect(a.titles()).toEqual({ record1: "one", record2: "two" });
});

test("[CH3] C10: an answer from before an acknowledged push is late, and no fork", async () => {
  server.tellsAdvance = false;
  a.put("record1", { title: "one" });
  await a.sync();
  const { writer } = a.replica;
  for (const id of ["record2", "record3", "record4"]) {
    a.put(id, { title: id });
    const late = a.begin("pull");
    await late.reaches();
    expect(await a.push()).toBe("taken");
    expect(await late.arrives()).toBe("more");
    expect(a.replica).toMatchObject({ writer, unverified: 1, needsHeal: false });
    await a.pull();
  }
  await settle(world, a, b);
  expect(a.replica.writer).toBe(writer);
  expect(a.reports).toEqual([]);
});

test("[CH12] C12: a copy whose refusal the server has forgotten does not count the op as applied", async () => {
  a.put("record1", { title: "one" });
  await a.sync();
  a.put("refused", { title: "x".repeat(20_000) });
  a.put("record3", { title: "three" });
  a.put("record4", { title: "four" });
  const copy = a.backup();
  server.quota = { ...quotaPreset, bytesMax: 10_000 };
  expect(await a.push(1)).toBe("taken");
  expect(a.replica.rejected).toBe(1);
  expect(await a.push()).toBe("advanced");
  a.restore(copy);
  expect.soft(await a.push()).toBe("fork: home-restored");
  expect.soft(a.title("refused")).toHaveLength(20_000);
  await settle(world, a, b);
  expect(a.store.reads.rejected(namespace)).toMatchObject([{ record: "refused", code: "quota" }]);
  expect(a.title("refused")).toHaveLength(20_000);
  expect(b.titles()).toEqual({ record1: "one", record3: "three", record4: "four" });
});

test("[CH11] C16: what a clone sends again does not beat an edit by somebody who had seen it", async () => {
  a.put("record1", { title: "start" });
  await settle(world, a, b, c);
  a.set("record1", { title: "seen" });
  const twin = a.clone("twin");
  a.put("of-a", { title: "the original goes on" });
  await a.push();
  await c.sync();
  c.set("record1", { title: "after it" });
  await c.sync();
  twin.put("of-twin", { title: "the clone goes on" });
  twin.put("of-twin-2", { title: "and on" });
  const lamports = unsentLamports(twin);
  expect(await twin.push()).toBe("fork: home-cloned");
  expect.soft(unsentLamports(twin)).toEqual(lamports);
  await settle(world, a, twin, c);
  for (const device of [a, twin, c]) {
    expect(device.title("record1")).toBe("after it");
    expect(Object.keys(device.titles())).toHaveLength(4);
  }
});

test("[CF4] C17: what a clone sends twice is no conflict of a value with itself", async () => {
  a.put("record1", { title: "start" });
  await settle(world, a, b, c);
  a.set("record1", { title: "both have it" });
  const twin = a.clone("twin");
  a.put("of-a", { title: "the original goes on" });
  await a.push();
  twin.put("of-twin", { title: "the clone goes on" });
  expect(await twin.push()).toBe("fork: home-cloned");
  await settle(world, a, twin, c);
  expect(conflictsOnServer()).toBe(0);
  for (const device of [a, twin, c]) expect(device.title("record1")).toBe("both have it");
});

test("[CH4] what is sent again after a fork is in no conflict with itself", async () => {
  server.tellsAdvance = false;
  a.put("record1", { title: "start" });
  await settle(world, a, b, c);
  const backup = server.backup();
  a.set("record1", { title: "draft" });
  a.set("record1", { title: "final" });
  expect(await a.push()).toBe("taken");
  server.restore(backup);
  expect(await a.pull()).toBe("fork: server-restored");
  expect(a.replica).toMatchObject({ unsent: 2, needsHeal: true });
  await settle(world, a, b, c);
  expect(conflictsOnServer()).toBe(0);
  expect(c.title("record1")).toBe("final");
});
