import { afterEach, expect, test } from "vitest";
import { createGate } from "../../apps/client/src/sync/ports.ts";
import type { NamespaceId, RecordId } from "../../packages/protocol/src/index.ts";
import { openVault, type Vault } from "./vault.ts";
import type { Fate, World } from "./world.ts";

const signal = new AbortController().signal;
let world: World;
let vault: Vault;

afterEach(() => {
  world.close();
});

async function open(fate?: Fate): Promise<{ readonly id: NamespaceId }> {
  vault = await openVault(fate);
  ({ world } = vault);
  return vault;
}

/** Lets the server tell another last entry of a log than it took. */
function tellAnotherLog(): { takeBack(): void } {
  const state = vault.state();
  const { log } = state;
  const changed = log.map((row, at) => (at === log.length - 1 ? { ...row, entry: "other" } : row));
  state.log = changed;
  return {
    takeBack: () => {
      state.log = log;
    },
  };
}

const logLength = (): number => vault.state().log.length;

test("[EE20] a server that was set back to before a device came in gets the log and the keys again", async () => {
  const { id } = await open();
  await world.b.sync();
  const setBack = vault.backUp();
  await vault.letIn();
  const turned = await world.a.keeper.rotate(id, signal);
  expect(turned).toMatchObject({ ok: true, value: { epoch: 2 } });
  await vault.settle();
  vault.save(world.a, "ra", "from a");
  await vault.settle();
  const before = logLength();
  await setBack();
  expect(logLength()).toBeLessThan(before);
  vault.save(world.b, "rb", "from b");
  await vault.settle();
  expect(logLength()).toBe(before);
  for (const device of [world.a, world.b]) {
    expect(device.titles()).toEqual({ ra: "from a", rb: "from b" });
    const sealing = device.store.replicas.sealing(id);
    expect(sealing).toMatchObject({ epoch: 2, hasKey: true, trouble: undefined });
  }
  // A machine that has nothing of it yet finds its keys on the server again.
  expect(vault.epochsFor((recipient) => recipient === world.b.id)).toEqual([1, 2]);
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
  await vault.letIn();
  await vault.settle();
  const setBack = vault.backUp();
  vault.save(world.b, "rb", "from b");
  await world.b.sync();
  expect(world.b.store.replicas.replica(id)).toMatchObject({ unsent: 0, verified: true });
  await setBack();
  const other = tellAnotherLog();
  await world.b.sync();
  expect(deliveries).toBe(0);
  expect(world.b.titles()).toEqual({ rb: "from b" });
  expect(world.b.store.replicas.replica(id)?.notice).toContain("only on this device");
  other.takeBack();
  await vault.settle();
  expect(deliveries).toBe(1);
  expect(world.a.titles()).toEqual({ rb: "from b" });
});

test("[EE31] nothing is taken that is sealed under a key of another log, by a device that has not heard of it yet", async () => {
  const hello = createGate();
  let isHelloHeld = false;
  const { id } = await open(async (request, deliver) => {
    if (isHelloHeld && request.url.endsWith("/hello")) await hello.passed;
    return deliver();
  });
  await vault.letIn();
  await world.a.keeper.rotate(id, signal);
  await vault.settle();
  const ended = new AbortController();
  const running = world.b.engine.run(ended.signal);
  await expect
    .poll(() => world.b.engine.outcomes().map(({ state }) => state), { timeout: 5_000 })
    .not.toContain("stopped");
  // As where it was set back, and somebody who knew less began an epoch of the same number.
  const other = tellAnotherLog();
  isHelloHeld = true;
  vault.save(world.b, "rb", "from b");
  await expect
    .poll(() => world.b.store.replicas.sealing(id)?.trouble, { timeout: 5_000 })
    .toContain("entry that cannot be read");
  expect([...vault.state().records.keys()]).toEqual([]);
  expect(world.b.store.replicas.replica(id)?.unsent).toBe(1);
  other.takeBack();
  hello.open();
  ended.abort();
  await running;
  await vault.settle();
  expect(world.a.titles()).toEqual({ rb: "from b" });
});

test("[EE20] keys that a server has lost are handed out again by whoever may", async () => {
  await open();
  await vault.letIn();
  const state = vault.state();
  state.wraps = state.wraps.filter(({ recipient }) => recipient !== world.b.id);
  await world.a.sync();
  expect(state.wraps.some(({ recipient }) => recipient === world.b.id)).toBe(true);
});

test("[EE13] a server that was set back is told a device's key again, and the namespace goes on", async () => {
  const { id } = await open();
  const setBack = vault.backUp();
  await vault.letIn();
  await vault.settle();
  await setBack();
  vault.save(world.b, "rb", "from b");
  await vault.settle();
  expect(world.b.store.replicas.replica(id)).toMatchObject({ status: "active", unsent: 0 });
  expect(world.a.titles()).toEqual({ rb: "from b" });
});

test("[EE10] what is forgotten alone is forgotten on the other device too", async () => {
  const { id } = await open();
  await vault.letIn();
  vault.save(world.a, "ra", "from a");
  await vault.settle();
  world.b.store.changes.change(id, [{ kind: "forget", id: "ra" as RecordId }], world.clock.nowMs());
  await vault.settle();
  expect(world.a.titles()).toEqual({});
  expect(world.b.store.replicas.replica(id)?.unsent).toBe(0);
});

test("[EE11] what was sealed under a key that turned over is read as soon as it comes", async () => {
  const { id } = await open();
  await vault.letIn();
  await vault.settle();
  const ended = new AbortController();
  const running = world.b.engine.run(ended.signal);
  await expect.poll(() => world.b.store.replicas.replica(id)?.verified).toBe(true);
  await world.a.keeper.rotate(id, signal);
  vault.save(world.a, "ra", "after");
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
  vault.save(world.a, "ra", "from a");
  await vault.settle();
  await world.b.keeper.look(id, signal);
  const setBack = vault.backUp();
  isAnswerLost = true;
  expect(await world.a.keeper.rotate(id, signal)).toMatchObject({ ok: false });
  isAnswerLost = false;
  // It is in nobody's hands but the server's then; the other device sees that it was begun.
  await world.b.keeper.look(id, signal);
  await setBack();
  await vault.settle();
  const sealing = world.a.store.replicas.sealing(id);
  expect(sealing).toMatchObject({ epoch: 2, hasKey: true, trouble: undefined });
  await vault.letIn();
  vault.save(world.b, "rb", "from b");
  await vault.settle();
  expect(world.a.titles()).toEqual({ ra: "from a", rb: "from b" });
});

test("[EE24] where nobody has the newest key, a device with an earlier one begins the next epoch", async () => {
  const { id } = await open();
  await vault.letIn();
  vault.save(world.a, "ra", "from a");
  await vault.settle();
  await world.a.keeper.rotate(id, signal);
  const state = vault.state();
  state.wraps = state.wraps.filter(({ epoch }) => epoch < 2);
  // The first device never comes again.
  vault.save(world.b, "rb", "from b");
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

test("[EE35] a server that was set back and is not reached any more is not taken for one that lies", async () => {
  let isOutage = false;
  let isGone = false;
  const { id } = await open(async (request, deliver) => {
    if (isGone && request.url.includes("/keys") && request.method === "GET") {
      throw new TypeError("nobody answers");
    }
    const isChange = request.url.endsWith("/keys") && request.method === "POST";
    const answer = await deliver();
    isGone ||= isChange && isOutage;
    if (isChange && isOutage) throw new TypeError("the answer was lost");
    return answer;
  });
  const setBack = vault.backUp();
  await world.a.keeper.rotate(id, signal);
  await setBack();
  isOutage = true;
  const look = await world.a.keeper.look(id, signal);
  expect(look).toMatchObject({ ok: false, error: { code: "unreachable" } });
  expect(world.a.store.replicas.sealing(id)).toMatchObject({ epoch: 2, trouble: undefined });
  await world.a.sync();
});

test("[EE35] what this device has read on meanwhile makes no older answer a lie", async () => {
  let after: (() => Promise<unknown>) | undefined;
  const { id } = await open(async (request, deliver) => {
    const answer = await deliver();
    const isChange = request.url.endsWith("/keys") && request.method === "POST";
    const act = isChange ? after : undefined;
    if (act === undefined) return answer;
    after = undefined;
    await act();
    return answer;
  });
  await vault.letIn();
  after = async () => {
    await world.b.keeper.rotate(id, signal);
    await world.a.keeper.look(id, signal);
  };
  expect(await world.a.keeper.rotate(id, signal)).toMatchObject({ ok: true, value: { epoch: 3 } });
  expect(world.a.store.replicas.sealing(id)).toMatchObject({ epoch: 3, trouble: undefined });
});

test("[EE35] what another process has read on is no reason either where a sync shuts out who has left", async () => {
  let after: (() => Promise<unknown>) | undefined;
  const { id } = await open(async (request, deliver) => {
    const isChange = request.url.endsWith("/keys") && request.method === "POST";
    const act = isChange ? after : undefined;
    const answer = await deliver();
    if (act === undefined) return answer;
    after = undefined;
    await act();
    return answer;
  });
  await vault.letIn();
  const { devices } = vault.accounts();
  const device = devices.get(world.b.id);
  if (device === undefined) throw new Error("no second device");
  devices.delete(device.id);
  after = async () => {
    await world.a.keeper.rotate(id, signal);
  };
  await world.a.sync();
  expect(world.a.store.replicas.sealing(id)).toMatchObject({ epoch: 3, trouble: undefined });
});
