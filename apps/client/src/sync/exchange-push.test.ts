import { fail, type NamespaceId, type WriterId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { PushTaken, ReplicaStore } from "../store/replica-store.ts";
import { exchangePush, type Behind } from "./exchange-push.ts";
import { createFakeStore, type FakeStore } from "./testing/fake-store.ts";
import { createFakeTransport } from "./testing/fake-transport.ts";
import type { Transport } from "./transport.ts";

const namespace = "mine" as NamespaceId;

interface Scene {
  readonly store: FakeStore;
  readonly behind: Behind;
  readonly events: string[];
  readonly push: (store?: ReplicaStore) => ReturnType<typeof exchangePush>;
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
  const behind: Behind = { unconfirmed: undefined, leave: () => Promise.resolve() };
  const { signal } = new AbortController();
  const push = (over = watched): ReturnType<typeof exchangePush> =>
    exchangePush({ store: over, transport }, namespace, { ops: 10, bytes: 10_000, behind }, signal);
  return { store, behind, events, push };
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
