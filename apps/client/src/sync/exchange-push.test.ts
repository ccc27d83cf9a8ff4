import { fail, type NamespaceId, type WriterId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { PushLimits, PushPlan, PushTaken, ReplicaStore } from "../store/replica-store.ts";
import { exchangePush, nothingBehind, type Behind } from "./exchange-push.ts";
import type { PushAheadDeps } from "./push-ahead.ts";
import { createFakeStore, type FakeStore } from "./testing/fake-store.ts";
import { createFakeTransport } from "./testing/fake-transport.ts";
import type { Transport } from "./transport.ts";

const namespace = "mine" as NamespaceId;
const never = new AbortController().signal;
const ten: PushLimits = { ops: 10, bytes: 10_000 };
/** Pushes ahead are in tests of their own. */
const idle: Omit<PushAheadDeps, "transport"> = {
  timers: { sleep: () => Promise.resolve() },
  spawn: () => undefined,
  slots: { isAwaited: () => false },
};
const body = Promise.resolve(new Uint8Array([1]));

interface Scene {
  readonly store: FakeStore;
  readonly behind: Behind;
  readonly events: string[];
  /** What was packed before, as each request brings it. */
  readonly packed: unknown[];
  readonly push: (
    store?: ReplicaStore,
    limits?: PushLimits,
    signal?: AbortSignal,
  ) => ReturnType<typeof exchangePush>;
}

function scene(canHoldEnds = false): Scene {
  const store = createFakeStore();
  store.add(namespace, { writer: "w" as WriterId, unsent: 30 });
  const good = createFakeTransport();
  const events: string[] = [];
  const packed: unknown[] = [];
  const transport: Transport = {
    ...good,
    canHoldEnds,
    packPush: () => body,
    push: async (...given) => {
      // Packed and signed first: what goes on beside the request must not hold it up.
      await new Promise((resolve) => setImmediate(resolve));
      events.push(given[1].end === undefined ? "sent" : "begun");
      packed.push(given[1].packed);
      given[1].onSent?.();
      await given[1].end;
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
  const behind = nothingBehind({ transport, ...idle }, () => {
    events.push("leave");
    return Promise.resolve();
  });
  const push: Scene["push"] = (over = watched, limits = ten, signal = never) =>
    exchangePush({ store: over, transport }, namespace, { ...limits, behind }, signal);
  return { store, behind, events, packed, push };
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
  const first = ["sent", "leave", "answered", "take"];
  expect(events).toEqual([...first, "sent", "leave", "advance", "answered", "take"]);
});

test("[EN24] what a push did is confirmed beside the last one too, and nothing is waited for without cause", async () => {
  const { store, events, push } = scene();
  store.change(namespace, { unsent: 20 });
  store.takeNext.push = { kind: "advancing" };
  await push();
  events.length = 0;
  await push();
  expect(events).toEqual(["sent", "leave", "advance", "answered", "take"]);
  store.change(namespace, { unsent: 1 });
  events.length = 0;
  await push();
  expect(events).toEqual(["sent", "answered", "take"]);
});

test("[EN19] of a push that is cancelled while it is under way nothing is taken, nor is one confirmed or packed", async () => {
  const { store, behind, events, push } = scene();
  store.takeNext.push = { kind: "advancing" };
  await push();
  events.length = 0;
  const stop = new AbortController();
  const pushing = push(undefined, ten, stop.signal);
  stop.abort();
  expect(await pushing).toBeUndefined();
  expect(events).toEqual(["sent", "leave", "answered"]);
  expect(behind.ready).toBeUndefined();
});

test("[PS33] the next push leaves but for its end before what the one before did is confirmed", async () => {
  const { store, behind, events, push } = scene(true);
  const next = { ...planOf(store), lines: ["next"] };
  const watched: ReplicaStore = {
    ...store,
    planPushAfter: () => next,
    planPush: (name, given, ahead) => ahead ?? store.planPush(name, given),
    advance: () => {
      events.push("advance");
      return true;
    },
  };
  store.takeNext.push = { kind: "advancing" };
  await push(watched);
  expect(events).toEqual(["sent", "leave", "answered", "leave"]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(events.slice(4)).toEqual(["begun"]);
  store.takeNext.push = { kind: "advancing" };
  // Nothing is left to begin beside it.
  const after = push({ ...watched, planPushAfter: () => undefined });
  expect(await after).toMatchObject({ outcome: { kind: "taken" } });
  expect(events.slice(5)).toEqual(["leave", "advance", "answered"]);
  expect(behind.ready).toBeUndefined();
});

test("[PS31, PS33] a push after it that cannot be made leaves the answer of this one as it is", async () => {
  const { store } = scene();
  const good = createFakeTransport();
  const transport: Transport = {
    ...good,
    canHoldEnds: true,
    push: async (...given) => {
      if (given[1].end !== undefined) throw new Error("no key");
      given[1].onSent?.();
      await new Promise((resolve) => setImmediate(resolve));
      return await good.push(...given);
    },
  };
  const spawn = (work: () => Promise<void>): void => void work();
  const behind = nothingBehind({ ...idle, transport, spawn }, () => Promise.resolve());
  const watched: ReplicaStore = { ...store, planPushAfter: () => planOf(store) };
  const turn = { ...ten, behind };
  expect(await exchangePush({ store: watched, transport }, namespace, turn, never)).toMatchObject({
    kind: "push-answered",
  });
  expect(store.calls.filter((call) => call.startsWith("takePushAnswer"))).toHaveLength(1);
});

test("[PS30] the next push is packed while one is under way, and sent where it still is the next", async () => {
  const { store, behind, events, packed, push } = scene();
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
  expect(packed).toEqual([undefined, body]);
  await push({ ...watched, planPush: (name, given) => store.planPush(name, given) });
  expect(packed).toEqual([undefined, body, undefined]);
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
  await push(watched, { ops: 5, bytes: 9_000 });
  expect(aheads).toEqual([undefined, undefined, undefined]);
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
  const behind = nothingBehind({ transport, ...idle }, () => Promise.resolve());
  const asked: ReplicaStore = { ...store, planPush: () => asking };
  const { signal } = new AbortController();
  const turn = { ops: 10, bytes: 10_000, behind };
  expect(await exchangePush({ store: asked, transport }, namespace, turn, signal)).toEqual({
    kind: "failed",
    lane: "push",
    failure: refused,
  });
});

test("[EN32, EN9] an op that alone is too large for a proxy is kept, and what failed is told", async () => {
  const { store } = scene();
  store.change(namespace, { unsent: 1 });
  const refused = { family: "reject", code: "http-413", title: "413" } as const;
  const transport = { ...createFakeTransport(), push: () => Promise.resolve(fail(refused)) };
  const behind = nothingBehind({ transport, ...idle }, () => Promise.resolve());
  const turn = { ops: 10, bytes: 10_000, behind };
  expect(await exchangePush({ store, transport }, namespace, turn, never)).toEqual({
    kind: "failed",
    lane: "push",
    failure: refused,
  });
});
