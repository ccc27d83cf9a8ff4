/** Who saw what before whom, whatever the wall clocks and the backups say. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { quotaPreset } from "../../apps/server/src/domain/quota.ts";
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

const yearMs = 31_536_000_000;

function plannedOps({ store, namespace }: Device): readonly { n: number; lamport: number }[] {
  const plan = store.replicas.planPush(namespace, { ops: 99, bytes: 99_999 });
  return (plan?.lines ?? []).map((line) => {
    const { n, lamport } = JSON.parse(line) as { n: number; lamport: number };
    return { n, lamport };
  });
}

test("[PS7] C4: an edit that is issued again after a heal does not beat the one made after it", async () => {
  for (const id of ["other1", "other2", "other3"]) c.put(id, { title: id });
  await c.sync();
  const backup = server.backup();
  c.put("record1", { title: "start" });
  await settle(world, a, c);
  server.restore(backup);
  a.set("record1", { title: "first" });
  a.set("record1", { title: "second" });
  const [first, second] = plannedOps(a);
  await b.sync();
  b.put("other4", { title: "brings the clock to where it was" });
  await b.sync();
  expect(await a.push(1)).toBe("heal-due");
  expect(await a.heal()).toBe("healed");
  expect.soft(plannedOps(a)).toEqual([second, { n: 3, lamport: first?.lamport }]);
  expect(await a.push(1)).toBe("taken");
  expect(await a.push(1)).toBe("taken");
  await settle(world, a, b, c);
  for (const device of [a, b, c]) {
    expect(device.title("record1")).toBe("second");
    expect(device.losers()).not.toContain("second");
  }
});

test("[CF3, CF12] C13: two devices that capture the same thing differently keep both values", async () => {
  a.put("derived", { title: "of a", kind: "note" });
  b.put("derived", { title: "of b", kind: "note" });
  await settle(world, a, b, c);
  expect(new Set([c.title("derived"), ...c.losers()])).toEqual(new Set(["of a", "of b"]));
  expect(c.losers()).toHaveLength(1);
  for (const device of [a, b]) {
    expect(device.title("derived")).toBe(c.title("derived"));
    expect(device.losers()).toEqual(c.losers());
  }
});

test("[CK7] C15: an op after a refused one is taken, for the refused one raised the clock as well", async () => {
  server.quota = { ...quotaPreset, recordsMax: 1 };
  a.put("record1", { title: "one" });
  await a.push();
  a.put("refused", { title: "two" });
  expect(await a.push()).toBe("taken");
  expect(a.replica.rejected).toBe(1);
  expect.soft(server.namespace(namespace).head.lamport).toBe(2);
  server.quota = quotaPreset;
  a.put("record3", { title: "three" });
  expect(await a.push()).toBe("taken");
  await settle(world, a, b);
  expect(a.count("digests")).toBe(0);
  expect(b.titles()).toEqual({ record1: "one", record3: "three" });
});

test("[MG2] Q15: wall time travels with each value and decides nothing", async () => {
  a.skewMs = yearMs;
  a.put("record1", { title: "from next year" });
  await settle(world, a, b, c);
  const [made] = b.store.reads.history(namespace, "record1" as RecordId);
  b.set("record1", { title: "after it" });
  await settle(world, a, b, c);
  const [after, before] = a.store.reads.history(namespace, "record1" as RecordId);
  expect([after?.value, before?.value]).toEqual(["after it", "from next year"]);
  expect(after?.at).toBeLessThan(before?.at ?? 0);
  expect(before?.at).toBe(made?.at);
  expect(server.state(namespace, "record1")).toMatchObject({
    registers: { title: { value: "after it", at: after?.at } },
  });
  expect(c.losers()).toEqual([]);
});

test("[CK5] Q20: every answer tells the clock, so that a new edit comes after all the server has seen", async () => {
  const clock = (): number => server.namespace(namespace).head.lamport;
  for (const id of ["other1", "other2", "other3", "other4"]) b.put(id, { title: id });
  await b.push();
  a.put("record1", { title: "one" });
  expect(await a.push()).toBe("taken");
  expect(a.replica.lamport).toBe(clock());
  // What a forget leaves behind names no clock.
  b.forget("other4");
  await b.push();
  expect(await c.pull()).toBe("taken");
  expect(c.replica.lamport).toBe(clock());
  const backup = server.backup();
  for (const id of ["other5", "other6"]) b.put(id, { title: id });
  await b.sync();
  server.restore(backup);
  await b.sync();
  b.forget("other6");
  await b.push();
  await c.heal();
  expect(c.replica.lamport).toBe(clock());
  expect(clock()).toBe(8);
  c.set("record1", { title: "after all of it" });
  expect(await c.push()).toBe("advanced");
  await settle(world, a, b, c);
  expect(a.title("record1")).toBe("after all of it");
});
