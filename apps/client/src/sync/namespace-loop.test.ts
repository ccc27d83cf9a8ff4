import { fail, ok, tombstone, type NamespaceId, type RecordId } from "@tidemark/protocol";
import type { PushAnswer } from "@tidemark/protocol/wire";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SyncEngine } from "./engine.ts";
import { unreachable } from "./http/failures.ts";
import { createFakeStore, type FakeStore } from "./testing/fake-store.ts";
import { createFakeTransport, listedAs, type FakeTransport } from "./testing/fake-transport.ts";
import { createTestEngine } from "./testing/test-engine.ts";
import { createVirtualTime, type VirtualTime } from "./testing/virtual-time.ts";
import type { Answer } from "./transport.ts";

let time: VirtualTime;
let store: FakeStore;
let server: FakeTransport;
let engine: SyncEngine;
const stop = { now: () => {} };
let running: Promise<void> | undefined;

beforeEach(() => {
  time = createVirtualTime();
  store = createFakeStore();
  store.add("mine");
  server = createFakeTransport("mine");
  server.listed = [listedAs("mine")];
  engine = createTestEngine(time, { store, transport: server });
});
afterEach(async () => {
  stop.now();
  if (running !== undefined) await time.until(running);
});

async function start(): Promise<void> {
  const controller = new AbortController();
  stop.now = () => {
    controller.abort();
  };
  running = engine.run(controller.signal);
  await time.flush();
}

/** A first page that says there is more, and no answer to whatever is asked after it. */
function pagesThatHang(): AbortSignal[] {
  const good = createFakeTransport();
  const signals: AbortSignal[] = [];
  server.script.pull = async (namespace, plan, signal) => {
    signals.push(signal);
    if (signals.length > 1) return await hanging(signal);
    const page = await good.pull(namespace, plan, signal);
    if (!page.ok) return page;
    const records = [{ state: tombstone("r" as RecordId, "observation"), seq: 1 }];
    return ok({ records, tail: { ...page.value.tail, cursor: "x", more: true } });
  };
  return signals;
}

async function hanging(signal: AbortSignal): Promise<Answer<never>> {
  return await new Promise((_, reject) => {
    signal.addEventListener("abort", () => {
      reject(new DOMException("", "AbortError"));
    });
  });
}

test("[EN19] what a pull asked for ahead is given up where its own page cannot be taken", async () => {
  const signals = pagesThatHang();
  const busy = Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" });
  store.throwNext.set("takePage", busy);
  await start();
  await time.advance(100);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
});

test("[EN19] what a pull asked for ahead is given up where the pull itself is", async () => {
  const signals = pagesThatHang();
  await start();
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  expect(store.calls).not.toContain("takePage mine");
  stop.now();
  await time.flush();
  expect(signals[1]?.aborted).toBe(true);
});

/** A network that holds ends: the signals of all pushes that left, and how those whose turn it is fare. */
function pushesThatHold(
  answer: (signal: AbortSignal) => Promise<Answer<PushAnswer>>,
): AbortSignal[] {
  const signals: AbortSignal[] = [];
  store.change("mine" as NamespaceId, { unsent: 5_000 });
  store.planPushAfter = (namespace) => store.planPush(namespace, { ops: 10, bytes: 10_000 });
  Object.assign(server, { canHoldEnds: true });
  server.script.push = async (_namespace, { end, onSent }, signal) => {
    signals.push(signal);
    onSent?.();
    if (end === undefined) return await answer(signal);
    return await hanging(signal);
  };
  return signals;
}

test("[EN19, PS33] a push that left but for its end is broken off where the one before it fails", async () => {
  const signals = pushesThatHold(async () => {
    await time.sleep(1_000, new AbortController().signal);
    return fail(unreachable);
  });
  await start();
  await time.advance(100);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  await time.advance(900);
  expect(signals[1]?.aborted).toBe(true);
});

test("[EN19, PS33] a push that left but for its end is broken off where the run ends", async () => {
  const signals = pushesThatHold(hanging);
  await start();
  await time.advance(100);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  stop.now();
  await time.flush();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});
