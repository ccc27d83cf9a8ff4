/** A one-shot sync whose server turns a namespace, or the device, away in its middle. */
import { fail, type NamespaceId } from "@tidemark/protocol";
import { beforeEach, expect, test } from "vitest";
import type { SyncEngine } from "./engine.ts";
import { createFakeStore } from "./testing/fake-store.ts";
import { createFakeTransport, listedAs, type FakeTransport } from "./testing/fake-transport.ts";
import { createTestEngine } from "./testing/test-engine.ts";
import { createVirtualTime, type VirtualTime } from "./testing/virtual-time.ts";
import type { Answer, Failure } from "./transport.ts";

const denied: Failure = { family: "reject", code: "not-found", title: "Not here." };

let time: VirtualTime;
let server: FakeTransport;
let good: FakeTransport;
let engine: SyncEngine;
let mine: NamespaceId;

beforeEach(() => {
  time = createVirtualTime();
  const store = createFakeStore();
  mine = store.add("mine");
  store.add("ours");
  server = createFakeTransport("mine", "ours");
  good = createFakeTransport("mine", "ours");
  engine = createTestEngine(time, { store, transport: server });
});

function once(budgetMs?: number): ReturnType<SyncEngine["syncOnce"]> {
  const { signal } = new AbortController();
  const options = { signal, ...(budgetMs === undefined ? {} : { budgetMs }) };
  return time.until(engine.syncOnce(options));
}

/** Answers the pulls of `mine` so; those of `ours` are good. */
function pullMine(answer: () => Promise<Answer<never>> | undefined): void {
  server.script.pull = (namespace, plan, signal) =>
    (namespace === mine ? answer() : undefined) ?? good.pull(namespace, plan, signal);
}

const hellos = (): number => server.calls.filter((call) => call === "hello").length;

test("[NS11, EN11] a namespace that is denied in the middle of a one-shot sync is parked before it ends", async () => {
  pullMine(() => {
    server.listed = [listedAs("ours")];
    return Promise.resolve(fail(denied));
  });
  const outcome = await once();
  expect(outcome).toMatchObject({ isDone: true, failure: undefined });
  expect(outcome.namespaces[0]).toMatchObject({ state: "parked", failure: undefined });
  expect(hellos()).toBe(2);
});

test("[NS11, EN12] what is denied and listed all the same is asked about once, each time", async () => {
  pullMine(() => Promise.resolve(fail(denied)));
  const { namespaces } = await once();
  expect(namespaces[0]).toMatchObject({ isDone: false, failure: { code: "not-found" } });
  expect(hellos()).toBe(2);
  delete server.script.pull;
  expect(await once()).toMatchObject({ isDone: true });
  expect(hellos()).toBe(3);
});

test.each<Failure>([
  { family: "auth", code: "device-revoked", title: "Revoked." },
  { family: "upgrade", code: "upgrade-client", title: "Too old." },
])(
  "[CL20, EN11] a device whose one-shot sync meets $code in its middle ends with that",
  async (failure) => {
    let isShutOut = false;
    server.script.hello = (signal) =>
      isShutOut ? Promise.resolve(fail(failure)) : good.hello(signal);
    pullMine(() => {
      isShutOut = true;
      return Promise.resolve(fail(failure));
    });
    const outcome = await once();
    expect(outcome).toMatchObject({ isDone: false, failure });
  },
);

test("[EN11] a one-shot sync goes on where the device is let in again when it asks", async () => {
  let isFirst = true;
  server.script.pull = async (namespace, plan, signal) => {
    await time.sleep(100, signal);
    if (namespace !== mine || !isFirst) return await good.pull(namespace, plan, signal);
    isFirst = false;
    return fail({ family: "auth", code: "invalid-token", title: "" });
  };
  expect(await once()).toMatchObject({ isDone: true, failure: undefined });
});

test("[EN12] nothing more is asked once the time of a one-shot sync is over", async () => {
  server.script.pull = (namespace, _, signal) =>
    namespace === mine
      ? Promise.resolve(fail(denied))
      : new Promise((resolve) => {
          signal.addEventListener("abort", () => resolve(fail(denied)));
        });
  expect(await once(1_000)).toMatchObject({ isDone: false, failure: undefined });
  expect(hellos()).toBe(1);
});
