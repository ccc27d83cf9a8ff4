/** An engine on a machine that is in trouble for a moment: a full disk, a database that cannot be read. */
import { fail, limits, type NamespaceId } from "@tidemark/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SyncEngine } from "./engine.ts";
import { syncLimits } from "./sync-limits.ts";
import { createFakeStore, type FakeStore } from "./testing/fake-store.ts";
import { createFakeTransport, type FakeTransport } from "./testing/fake-transport.ts";
import { createTestEngine } from "./testing/test-engine.ts";
import { createVirtualTime, type VirtualTime } from "./testing/virtual-time.ts";
import { cancelled } from "./transport.ts";

const diskFull = Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });

let time: VirtualTime;
let store: FakeStore;
let server: FakeTransport;
let engine: SyncEngine;
let mine: NamespaceId;
let stop: AbortController;
let running: Promise<void> | undefined;
let told: (string | undefined)[];

beforeEach(() => {
  time = createVirtualTime();
  store = createFakeStore();
  mine = store.add("mine");
  server = createFakeTransport("mine");
  stop = new AbortController();
  running = undefined;
  told = [];
  engine = createTestEngine(time, {
    store,
    transport: server,
    onHelloEnded: (failure) => {
      told.push(failure?.code);
    },
  });
});

afterEach(async () => {
  stop.abort();
  if (running !== undefined) await time.until(running);
});

async function start(): Promise<void> {
  running = engine.run(stop.signal);
  await time.flush();
}

function count(call: string): number {
  return server.calls.filter((made) => made === call).length;
}

/** A poke pulls at once. */
async function expectPokesHeard(): Promise<void> {
  const pulls = count("pull mine");
  server.poke({ namespace: mine, head: 1_000 });
  await time.flush();
  expect(count("pull mine")).toBe(pulls + 1);
}

test("[EN29, EN13] pokes are followed again where this machine kept the stream from opening", async () => {
  server.script.pokes = () => {
    delete server.script.pokes;
    throw diskFull;
  };
  await start();
  expect(count("pokes")).toBe(1);
  await time.advance(1_000);
  expect(count("pokes")).toBe(2);
  await expectPokesHeard();
});

test("[EN18] a defect keeps from the stream for long, not for good", async () => {
  server.script.pokes = () => {
    throw new TypeError("a bug");
  };
  await start();
  await time.advance(syncLimits.longDelayMs - 1);
  expect(count("pokes")).toBe(1);
  await time.advance(1);
  expect(count("pokes")).toBe(2);
});

test("[EN29, EN13] a poke of which the store could not be asked ends no pokes for good", async () => {
  await start();
  store.throwNext.set("replica", diskFull);
  server.poke({ namespace: mine, head: 9 });
  await time.advance(60_000);
  expect(count("pokes")).toBe(2);
  await expectPokesHeard();
});

test("[EN29, EN3] progress that cannot be read leaves a one-shot sync as it is", async () => {
  store.change(mine, { unsent: limits.pushOpsMax + 1 });
  const onProgress = (): void => {
    throw diskFull;
  };
  const outcome = await time.until(engine.syncOnce({ signal: stop.signal, onProgress }));
  expect(outcome.isDone).toBe(true);
  expect([count("push mine"), count("pull mine")]).toEqual([2, 2]);
  expect(outcome.namespaces).toMatchObject([{ unsent: 0, failure: undefined }]);
});

test("[EN29, EN19] a one-shot sync that cannot read how it stands ends with nothing in flight", async () => {
  const good = createFakeTransport("mine");
  server.script.pull = async (...given) => {
    const page = await good.pull(...given);
    store.throwNext.set("replicas", diskFull);
    return page;
  };
  const sync = engine.syncOnce({ signal: stop.signal });
  await expect(time.until(sync)).rejects.toBe(diskFull);
  const endedAtMs = time.nowMs();
  await expect(time.until(new Promise(() => undefined))).rejects.toThrow("nothing happens");
  expect(time.nowMs()).toBe(endedAtMs);
  delete server.script.pull;
  expect(await time.until(engine.syncOnce({ signal: stop.signal }))).toMatchObject({
    isDone: true,
  });
});

test("[EN30] how each hello of a run ended is told at once, while the run goes on", async () => {
  await start();
  expect(told).toEqual([undefined]);
  const refused = { family: "auth", code: "invalid-token", title: "" } as const;
  server.script.hello = () => Promise.resolve(fail(refused));
  await time.advance(syncLimits.helloMs);
  expect(told).toEqual([undefined, "invalid-token"]);
  delete server.script.hello;
  await time.advance(syncLimits.longDelayMs);
  expect(told).toEqual([undefined, "invalid-token", undefined]);
});

test("[EN30] a hello that the end of a run cut off says nothing", async () => {
  server.script.hello = (signal) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => {
        resolve(fail(cancelled));
      });
    });
  await start();
  stop.abort();
  await time.flush();
  expect(told).toEqual([]);
});
