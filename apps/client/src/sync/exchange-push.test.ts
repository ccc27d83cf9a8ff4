import { fail, type NamespaceId, type WriterId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { PushLimits, PushPlan, PushTaken, ReplicaStore } from "../store/replica-store.ts";
import { exchangePush, type Behind } from "./exchange-push.ts";
import { createFakeStore, type FakeStore } from "./testing/fake-store.ts";
import { createFakeTransport } from "./testing/fake-transport.ts";
import type { Transport } from "./transport.ts";

const namespace = "mine" as NamespaceId;

interface Scene {
  readonly store: FakeStore;
  readonly behind: Behind;
  readonly events: string[];
  readonly push: (store?: ReplicaStore, limits?: PushLimits) => ReturnType<typeof exchangePush>;
}

function scene(): Scene {
  const store = createFakeStore();
  store.add(namespace, { writer: "w" as WriterId, unsent: 30 });
  const good = createFakeTransport();
  const events: string[] = [];
  const transport: Transport = {
    ...good,
    push: async (...given) => {
      // Packed and signed first: what goes on beside the request must not hold it up.
      await new Promise((resolve) => setImmediate(resolve));
      events.push("sent");
      given[1].onSent?.();
      const answer = await good.push(...given);
      await new Promise((resolve) => setImmediate(resolve));
      events.push("answered");
      return answer;
    },
  };
  const watched: ReplicaStore = {
    ...store,
    advance: () => {
      events.push("advance");
      return true;
    },
    takePushAnswer: (...given): PushTaken => {
      events.push("take");
      return store.takePushAnswer(...given);
    },
  };
  const behind: Behind = {
    unconfirmed: undefined,
    ready: undefined,
    leave: () => Promise.resolve(),
  };
  const { signal } = new AbortController();
  const push: Scene["push"] = (over = watched, limits = { ops: 10, bytes: 10_000 }) =>
    exchangePush({ store: over, transport }, namespace, { ...limits, behind }, signal);
  return { store, behind, events, push };
}

function planOf(store: ReplicaStore): PushPlan {
  const plan = store.planPush(namespace, { ops: 10, bytes: 10_000 });
  if (plan === undefined) throw new Error("the fake store has something to send");
  return plan;
}

test("[EN24] what a push did is confirmed while the next one is under way", async () => {
  const { store, behind, events, push } = scene();
  store.takeNext.push = { kind: "advancing" };
  expect(await push()).toMatchObject({ outcome: { kind: "taken", hasMore: true } });
  expect(behind.unconfirmed?.plan.lines).toHaveLength(10);
  store.takeNext.push = { kind: "advanced" };
  expect(await push()).toMatchObject({ outcome: { kind: "advanced" } });
  expect(behind.unconfirmed).toBeUndefined();
  expect(events).toEqual(["sent", "answered", "take", "sent", "advance", "answered", "take"]);
});

test("[PS30] the next push is packed while one is under way, and sent where it still is the next", async () => {
  const { store, behind, events, push } = scene();
  const next = { ...planOf(store), lines: ["next"] };
  const limits: PushLimits[] = [];
  const watched: ReplicaStore = {
    ...store,
    planPushAfter: (_, plan, given) => {
      events.push(`plan after ${String(plan.lines.length)}`);
      limits.push(given);
      return next;
    },
    planPush: (name, given, ahead) => ahead ?? store.planPush(name, given),
  };
  await push(watched);
  expect(behind.ready?.plan).toBe(next);
  await push(watched, { ops: 10, bytes: 10_000 });
  expect(events.filter((event) => event.startsWith("plan"))).toEqual([
    "plan after 10",
    "plan after 1",
  ]);
  expect(limits).toEqual([
    { ops: 10, bytes: 10_000 },
    { ops: 10, bytes: 10_000 },
  ]);
});

test("[EN8] a push of another size is planned anew", async () => {
  const { store, push } = scene();
  const aheads: (PushPlan | undefined)[] = [];
  const watched: ReplicaStore = {
    ...store,
    planPushAfter: () => planOf(store),
    planPush: (name, given, ahead) => {
      if (given.ops > 1) aheads.push(ahead);
      return store.planPush(name, given);
    },
  };
  await push(watched);
  await push(watched, { ops: 5, bytes: 10_000 });
  expect(aheads).toEqual([undefined, undefined]);
});

test("[EN24] what waits to be confirmed when nothing is left to send waits for its echo", async () => {
  const { store, push } = scene();
  store.takeNext.push = { kind: "advancing" };
  await push();
  store.change(namespace, { unsent: 0 });
  expect(await push()).toEqual({
    kind: "push-answered",
    outcome: { kind: "taken", hasMore: false },
  });
  expect(await push()).toEqual({ kind: "push-answered", outcome: { kind: "nothing" } });
});

test("[EN3] a store that breaks while a push is under way does not let another one leave", async () => {
  const { store, events, push } = scene();
  store.takeNext.push = { kind: "advancing" };
  await push();
  const broken: ReplicaStore = {
    ...store,
    advance: () => {
      throw new Error("SQLITE_BUSY");
    },
  };
  await expect(push(broken)).rejects.toThrow("SQLITE_BUSY");
  expect(events.at(-1)).toBe("answered");
});

test("a push that fails takes nothing, and what was to be confirmed is", async () => {
  const { store, behind, push } = scene();
  store.takeNext.push = { kind: "advancing" };
  await push();
  const { signal } = new AbortController();
  const refused = { family: "retry", code: "unreachable", title: "no way" } as const;
  const transport: Transport = {
    ...createFakeTransport(),
    push: () => Promise.resolve(fail(refused)),
  };
  const turn = { ops: 10, bytes: 10_000, behind };
  expect(await exchangePush({ store, transport }, namespace, turn, signal)).toMatchObject({
    kind: "failed",
    lane: "push",
  });
  expect(store.calls.filter((call) => call.startsWith("advance"))).toHaveLength(1);
});

test("[EE11] a push that asks only for the place refuses no op, whatever a server calls it", async () => {
  const { store } = scene();
  const asking = { ...planOf(store), lines: [] };
  const refused = { family: "reject", code: "invalid", title: "no ops" } as const;
  const transport = { ...createFakeTransport(), push: () => Promise.resolve(fail(refused)) };
  const behind: Behind = {
    unconfirmed: undefined,
    ready: undefined,
    leave: () => Promise.resolve(),
  };
  const asked: ReplicaStore = { ...store, planPush: () => asking };
  const { signal } = new AbortController();
  const turn = { ops: 10, bytes: 10_000, behind };
  expect(await exchangePush({ store: asked, transport }, namespace, turn, signal)).toEqual({
    kind: "failed",
    lane: "push",
    failure: refused,
  });
});
