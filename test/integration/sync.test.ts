import { afterEach, beforeEach, expect, test } from "vitest";
import { createWorld, type Device, type World } from "./world.ts";

let world: World;
let a: Device;
let b: Device;

beforeEach(async () => {
  world = await createWorld();
  ({ a, b } = world);
});

afterEach(() => {
  world.close();
});

/** Everybody syncs until nobody has anything left, at most a few rounds. */
async function settle(...devices: readonly Device[]): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    for (const device of devices) await device.sync();
  }
  for (const device of devices) {
    expect(await device.sync()).toMatchObject({ isDone: true });
  }
}

function digestOf(device: Device): unknown {
  return device.store.replicas.replica(world.namespace)?.confirmed;
}

test("[EN11] one sync pushes, pulls its echo and says that nothing is left", async () => {
  a.put("r1", { title: "from a" });
  const outcome = await a.sync();
  expect(outcome.failure).toBeUndefined();
  expect(outcome.namespaces).toMatchObject([
    { isDone: true, unsent: 0, unverified: 0, rejected: 0, state: "running" },
  ]);
  expect(outcome.isDone).toBe(true);
  await b.sync();
  expect(b.titles()).toEqual({ r1: "from a" });
  expect(digestOf(a)).toEqual(digestOf(b));
});

test("a thousand records arrive page by page", async () => {
  a.store.transact(() => {
    for (let index = 0; index < 1_200; index += 1) a.put(`r${String(index)}`, { title: "x" });
  });
  expect((await a.sync()).isDone).toBe(true);
  expect((await b.sync()).isDone).toBe(true);
  expect(Object.keys(b.titles())).toHaveLength(1_200);
});

test("two edits made unaware of each other: one wins everywhere, the other is a conflict", async () => {
  a.put("r1", { title: "first" });
  await settle(a, b);
  a.set("r1", { title: "from a" });
  b.set("r1", { title: "from b" });
  await settle(a, b);
  expect(a.titles()).toEqual(b.titles());
  const [conflict] = a.store.reads.conflicts();
  expect(new Set([conflict?.value, a.titles()["r1"]])).toEqual(new Set(["from a", "from b"]));
  expect(digestOf(a)).toEqual(digestOf(b));
});

test("forgotten on one device is forgotten on the other", async () => {
  a.put("r1", { title: "secret plan" });
  await settle(a, b);
  b.forget("r1");
  await settle(b, a);
  expect(a.titles()).toEqual({});
});

test("[HL31] a server restored from an old backup is healed by its clients, and nothing is lost", async () => {
  a.put("r1", { title: "from a" });
  b.put("r2", { title: "from b" });
  await settle(a, b);
  b.forget("r2");
  await settle(a, b);
  await world.restoreServer();
  b.put("r3", { title: "after the restore" });
  await settle(b, a);
  expect(a.titles()).toEqual({ r1: "from a", r3: "after the restore" });
  expect(b.titles()).toEqual(a.titles());
  expect(digestOf(a)).toEqual(digestOf(b));
  expect([...a.reports, ...b.reports].map(({ kind }) => kind)).toContain("fork");
});

test("[CH4] a cloned home gets a writer of its own; what both wrote is kept", async () => {
  a.put("r1", { title: "before" });
  await settle(a, b);
  const twin = world.clone(a);
  a.put("r2", { title: "from the original" });
  twin.put("r3", { title: "from the clone" });
  await settle(a, twin, b);
  const all = { r1: "before", r2: "from the original", r3: "from the clone" };
  expect(a.titles()).toEqual(all);
  expect(twin.titles()).toEqual(all);
  expect(b.titles()).toEqual(all);
  expect(twin.reports).toContainEqual({ kind: "fork", cause: "home-cloned" });
  const writers = [a, twin].map(({ store }) => store.replicas.replica(world.namespace)?.writer);
  expect(new Set(writers).size).toBe(2);
});

test("[AU52] a token that the server does not take any more is replaced in the same sync", async () => {
  a.put("r1", { title: "one" });
  expect((await a.sync()).isDone).toBe(true);
  await world.restoreServer();
  a.put("r2", { title: "two" });
  await settle(a);
  expect(a.titles()).toEqual({ r1: "one", r2: "two" });
});
