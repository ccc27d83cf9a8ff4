import { afterEach, expect, test } from "vitest";
import type { NamespaceId, RecordId } from "../../packages/protocol/src/index.ts";
import type { ScrubbedFields } from "../../apps/client/src/store/store.ts";
import { emptyAccounts } from "../../apps/server/src/store/memory/account-state.ts";
import { copyAccounts } from "../../apps/server/src/store/memory/copy-accounts.ts";
import { createMemoryStore } from "../../apps/server/src/store/memory/memory-store.ts";
import { createWorld, type Device, type Fate, type World } from "./world.ts";

const signal = new AbortController().signal;
let world: World;
let accounts = emptyAccounts();

afterEach(() => {
  world.close();
});

/** A world with an encrypted namespace on its first device, and a server that can be set back. */
async function open(fate?: Fate): Promise<{ readonly id: NamespaceId }> {
  accounts = emptyAccounts();
  world = await createWorld(fate, (clock) => createMemoryStore({ clock, accounts }), {
    isSealed: true,
  });
  await world.a.sync();
  const made = await world.a.keeper.create("vault", signal);
  if (!made.ok) throw new Error(made.error.message);
  await world.a.sync();
  return { id: made.value.info.id };
}

/** Copies the server's database; what is given sets it back to that. */
function backUp(): () => Promise<void> {
  const copy = copyAccounts(accounts);
  return async () => {
    accounts = copy;
    await world.restoreServer();
  };
}

async function letIn(id: NamespaceId): Promise<void> {
  await world.b.sync();
  await world.b.keeper.look(id, signal);
  const look = await world.a.keeper.look(id, signal);
  if (!look.ok || look.value.waiting[0] === undefined) throw new Error("nobody waits");
  const done = await world.a.keeper.admit(id, look.value.waiting[0], signal);
  if (!done.ok) throw new Error(done.error.message);
  await world.b.keeper.look(id, signal);
}

function save(device: Device, namespace: NamespaceId, id: string, title: string): void {
  const fields = { title } as unknown as ScrubbedFields;
  const put = { kind: "put", id: id as RecordId, collection: "observation", fields } as const;
  const changed = device.store.changes.change(namespace, [put], world.clock.nowMs());
  if (!changed.ok) throw new Error(changed.error.kind);
}

async function settle(): Promise<void> {
  for (const device of [world.a, world.b, world.a, world.b]) await device.sync();
}

/** Lets the server tell another last entry of a log than it took. */
function tellAnotherLog(id: NamespaceId): { takeBack(): void } {
  const state = accounts.namespaces.get(id);
  if (state === undefined) throw new Error("no namespace");
  const { log } = state;
  const changed = log.map((row, at) => (at === log.length - 1 ? { ...row, entry: "other" } : row));
  state.log = changed;
  return {
    takeBack: () => {
      state.log = log;
    },
  };
}

const logLength = (id: NamespaceId): number => accounts.namespaces.get(id)?.log.length ?? 0;

test("[EE20] a server that was set back to before a device came in gets the log and the keys again", async () => {
  const { id } = await open();
  await world.b.sync();
  const setBack = backUp();
  await letIn(id);
  const turned = await world.a.keeper.rotate(id, signal);
  expect(turned).toMatchObject({ ok: true, value: { epoch: 2 } });
  await settle();
  save(world.a, id, "ra", "from a");
  await settle();
  const before = logLength(id);
  await setBack();
  expect(logLength(id)).toBeLessThan(before);
  save(world.b, id, "rb", "from b");
  await settle();
  expect(logLength(id)).toBe(before);
  for (const device of [world.a, world.b]) {
    expect(device.titles()).toEqual({ ra: "from a", rb: "from b" });
    const sealing = device.store.replicas.sealing(id);
    expect(sealing).toMatchObject({ epoch: 2, hasKey: true, trouble: undefined });
  }
  // A machine that has nothing of it yet finds its keys on the server again.
  const wraps = accounts.namespaces
    .get(id)
    ?.wraps.filter(({ recipient }) => recipient === world.b.id);
  expect(wraps?.map(({ epoch }) => epoch)).toEqual([1, 2]);
});

/** Whether a request delivers records to heal a namespace. */
async function isDelivery(request: Request): Promise<boolean> {
  if (!request.url.endsWith("/heal")) return false;
  const [, ...lines] = (await request.clone().text()).trim().split("\n");
  return lines.length > 0;
}

test("[EE10] a heal delivers nothing while the log went another way, and delivers it once it is believed", async () => {
  let deliveries = 0;
  const { id } = await open(async (request, deliver) => {
    if (await isDelivery(request)) deliveries += 1;
    return deliver();
  });
  await letIn(id);
  await settle();
  const setBack = backUp();
  save(world.b, id, "rb", "from b");
  await world.b.sync();
  expect(world.b.store.replicas.replica(id)).toMatchObject({ unsent: 0, verified: true });
  await setBack();
  const other = tellAnotherLog(id);
  await world.b.sync();
  expect(deliveries).toBe(0);
  expect(world.b.titles()).toEqual({ rb: "from b" });
  expect(world.b.store.replicas.replica(id)?.notice).toContain("only on this device");
  other.takeBack();
  await settle();
  expect(deliveries).toBe(1);
  expect(world.a.titles()).toEqual({ rb: "from b" });
});

test("[EE20] keys that a server has lost are handed out again by whoever may", async () => {
  const { id } = await open();
  await letIn(id);
  const state = accounts.namespaces.get(id);
  if (state === undefined) throw new Error("no namespace");
  state.wraps = state.wraps.filter(({ recipient }) => recipient !== world.b.id);
  await world.a.sync();
  expect(state.wraps.some(({ recipient }) => recipient === world.b.id)).toBe(true);
});

test("[EE13] a server that was set back is told a device's key again, and the namespace goes on", async () => {
  const { id } = await open();
  const setBack = backUp();
  await letIn(id);
  await settle();
  await setBack();
  save(world.b, id, "rb", "from b");
  await settle();
  expect(world.b.store.replicas.replica(id)).toMatchObject({ status: "active", unsent: 0 });
  expect(world.a.titles()).toEqual({ rb: "from b" });
});

test("[EE10] what is forgotten alone is forgotten on the other device too", async () => {
  const { id } = await open();
  await letIn(id);
  save(world.a, id, "ra", "from a");
  await settle();
  world.b.store.changes.change(id, [{ kind: "forget", id: "ra" as RecordId }], world.clock.nowMs());
  await settle();
  expect(world.a.titles()).toEqual({});
  expect(world.b.store.replicas.replica(id)?.unsent).toBe(0);
});

test("[EE11] what was sealed under a key that turned over is read as soon as it comes", async () => {
  const { id } = await open();
  await letIn(id);
  await settle();
  const ended = new AbortController();
  const running = world.b.engine.run(ended.signal);
  await expect.poll(() => world.b.store.replicas.replica(id)?.verified).toBe(true);
  await world.a.keeper.rotate(id, signal);
  save(world.a, id, "ra", "after");
  await world.a.sync();
  await expect.poll(() => world.b.titles(), { timeout: 5_000 }).toEqual({ ra: "after" });
  ended.abort();
  await running;
});

test("[EE23] a key whose answer was lost, and which the server lost too, is there for who began its epoch", async () => {
  let isAnswerLost = false;
  const { id } = await open(async (request, deliver) => {
    const isChange = request.url.endsWith("/keys") && request.method === "POST";
    const answer = await deliver();
    if (isChange && isAnswerLost) throw new TypeError("the answer was lost");
    return answer;
  });
  save(world.a, id, "ra", "from a");
  await settle();
  await world.b.keeper.look(id, signal);
  const setBack = backUp();
  isAnswerLost = true;
  expect(await world.a.keeper.rotate(id, signal)).toMatchObject({ ok: false });
  isAnswerLost = false;
  // It is in nobody's hands but the server's then; the other device sees that it was begun.
  await world.b.keeper.look(id, signal);
  await setBack();
  await settle();
  const sealing = world.a.store.replicas.sealing(id);
  expect(sealing).toMatchObject({ epoch: 2, hasKey: true, trouble: undefined });
  await letIn(id);
  save(world.b, id, "rb", "from b");
  await settle();
  expect(world.a.titles()).toEqual({ ra: "from a", rb: "from b" });
});

test("[EE24] where nobody has the newest key, a device with an earlier one begins the next epoch", async () => {
  const { id } = await open();
  await letIn(id);
  save(world.a, id, "ra", "from a");
  await settle();
  await world.a.keeper.rotate(id, signal);
  const state = accounts.namespaces.get(id);
  if (state === undefined) throw new Error("no namespace");
  state.wraps = state.wraps.filter(({ epoch }) => epoch < 2);
  // The first device never comes again.
  save(world.b, id, "rb", "from b");
  await world.b.sync();
  expect(world.b.store.replicas.sealing(id)).toMatchObject({ epoch: 2, hasKey: false });
  expect(await world.b.keeper.look(id, signal)).toMatchObject({
    ok: true,
    value: { hasKey: false, isIn: true, isOut: false },
  });
  expect(await world.b.keeper.rotate(id, signal)).toMatchObject({ ok: true, value: { epoch: 3 } });
  await world.b.sync();
  expect(world.b.store.replicas.sealing(id)).toMatchObject({ epoch: 3, hasKey: true });
  expect(world.b.store.replicas.replica(id)?.unsent).toBe(0);
  // And who has the key that was missing hands it out again, as soon as it comes.
  await world.a.sync();
  expect(state.wraps.filter(({ recipient }) => recipient === world.b.id)).toHaveLength(3);
});
