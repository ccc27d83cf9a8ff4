/** A server that asks to be left alone is left alone, by every lane, whatever happens meanwhile. */
import { fail, type NamespaceId } from "@tidemark/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SyncEngine } from "./engine.ts";
import { syncLimits } from "./sync-limits.ts";
import { createFakeStore, type FakeStore } from "./testing/fake-store.ts";
import { createFakeTransport, type FakeTransport } from "./testing/fake-transport.ts";
import { createTestEngine } from "./testing/test-engine.ts";
import { createVirtualTime, type VirtualTime } from "./testing/virtual-time.ts";
import type { Answer, Failure, Transport } from "./transport.ts";

const waitMs = 900_000;
let time: VirtualTime;
let store: FakeStore;
let server: FakeTransport;
let engine: SyncEngine;
let stop: AbortController;
let running: Promise<void>;
let mine: NamespaceId;

beforeEach(() => {
  time = createVirtualTime();
  store = createFakeStore();
  mine = store.add("mine");
  server = createFakeTransport("mine");
  stop = new AbortController();
  const random = { bytes: (count: number) => new Uint8Array(count).fill(10, 0, 1) };
  engine = createTestEngine(time, { store, transport: server, random });
});

afterEach(async () => {
  stop.abort();
  await time.until(running);
});

type Lane = "hello" | "push" | "pull" | "digests" | "pokes";

/** Every call of this kind is refused, with the server's wish. */
function refuse(lane: Lane, failure: Omit<Failure, "title">): void {
  const refusal: Failure = { title: "", ...failure };
  const refused = (): Promise<Answer<never>> => Promise.resolve(fail(refusal));
  if (lane === "pokes") {
    server.script.pokes = async function* () {
      yield { kind: "closed", failure: refusal };
    };
  } else server.script[lane] = refused;
}

function timesOf(lane: Lane): () => readonly number[] {
  const times: number[] = [];
  const call = server[lane].bind(server) as (...given: never[]) => unknown;
  (server as unknown as Record<string, unknown>)[lane] = (...given: never[]) => {
    times.push(time.nowMs());
    return call(...given);
  };
  return () => times;
}

/** Everything that makes a lane want to run: changes, pokes, a foreign namespace, a heal. */
async function disturb(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10_000) {
    const { unsent = 0, head = 0 } = store.replica(mine) ?? {};
    store.change(mine, { unsent: unsent + 1, verified: false });
    engine.wake();
    server.poke({ namespace: mine, head: head + 10 });
    server.poke({ namespace: "unheard-of" as NamespaceId, head: 1 });
    await time.advance(10_000);
  }
}

const wishes: readonly Omit<Failure, "title">[] = [
  { family: "retry", code: "rate-limited", retryAfterMs: waitMs },
  { family: "retry", code: "unavailable", retryAfterMs: waitMs },
  { family: "bug", code: "internal", retryAfterMs: waitMs },
];

for (const lane of ["hello", "push", "pull", "digests", "pokes"] as const) {
  for (const wish of wishes) {
    test(`[EN23] ${lane} waits as long as a ${wish.code} wants`, async () => {
      running = engine.run(stop.signal);
      await time.advance(30_000);
      if (lane === "digests") store.change(mine, { needsHeal: true });
      refuse(lane, wish);
      if (lane === "pokes") server.closeStreams();
      const times = timesOf(lane);
      await disturb(2 * waitMs);
      const [first = 0, second = 0, third = Infinity] = times();
      expect(first).toBeGreaterThan(0);
      expect(second - first).toBeGreaterThanOrEqual(waitMs);
      expect(third - second).toBeGreaterThanOrEqual(waitMs);
    });
  }
}

test("[EN23] a wish is believed up to an hour", async () => {
  refuse("pull", { family: "retry", code: "unavailable", retryAfterMs: 1e15 });
  const times = timesOf("pull");
  running = engine.run(stop.signal);
  await disturb(syncLimits.retryAfterMsMax + 120_000);
  const [first = 0, second = 0] = times();
  expect(second - first).toBeGreaterThanOrEqual(syncLimits.retryAfterMsMax);
  expect(times()).toHaveLength(2);
});

test("[EN1, EN23] a push that is told to wait keeps no pull waiting", async () => {
  refuse("push", { family: "retry", code: "rate-limited", retryAfterMs: waitMs });
  const pulls = timesOf("pull");
  running = engine.run(stop.signal);
  await disturb(100_000);
  expect(pulls().length).toBeGreaterThan(5);
});

test("[EN23] a server that answers again is used again", async () => {
  const good = createFakeTransport("mine");
  let isBusy = true;
  const pull: Transport["pull"] = (...given) =>
    isBusy
      ? Promise.resolve(fail({ family: "retry", code: "x", title: "", retryAfterMs: waitMs }))
      : good.pull(...given);
  server.script.pull = pull;
  running = engine.run(stop.signal);
  await time.advance(60_000);
  isBusy = false;
  await time.advance(waitMs + 2 * syncLimits.reconnectSpreadMs);
  expect(store.replica(mine)?.verified).toBe(true);
});
