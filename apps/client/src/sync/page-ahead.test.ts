import { ok, tombstone, type NamespaceId, type RecordId, type WriterId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { PageTaken } from "../store/replica-store.ts";
import { exchangePull, type Ahead } from "./exchange.ts";
import { PageAhead } from "./page-ahead.ts";
import type { KeyExchange } from "./sealed/key-exchange.ts";
import { createFakeStore, type FakeStore } from "./testing/fake-store.ts";
import { createFakeTransport } from "./testing/fake-transport.ts";
import type { Transport } from "./transport.ts";

const namespace = "mine" as NamespaceId;
const never = new AbortController().signal;

interface Scene {
  readonly store: FakeStore;
  readonly ahead: Ahead;
  readonly events: string[];
  readonly signals: AbortSignal[];
  /** How many records each request said to be still to come. */
  readonly rests: (number | undefined)[];
  /** Places of the records that the next pages bring; without any, they rise. */
  readonly seqs: (readonly number[])[];
  /** How many pages there are still to be asked for. */
  readonly pages: { left: number };
  readonly pull: (signal?: AbortSignal) => ReturnType<typeof exchangePull>;
}

/** A server of pages of a record without end; each cursor is the one before it and an `x`. */
function scene(leave: Ahead["leave"] = () => Promise.resolve()): Scene {
  const store = createFakeStore();
  store.add(namespace, { writer: "w" as WriterId });
  const good = createFakeTransport();
  const events: string[] = [];
  const signals: AbortSignal[] = [];
  const rests: (number | undefined)[] = [];
  const seqs: (readonly number[])[] = [];
  const pages = { left: Infinity };
  const state = tombstone("r" as RecordId, "observation");
  const transport: Transport = {
    ...good,
    pull: async (place, plan, signal) => {
      events.push(`ask ${plan.after}`);
      signals.push(signal);
      rests.push(plan.restAhead);
      const page = await good.pull(place, plan, signal);
      if (!page.ok) return page;
      pages.left -= 1;
      const tail = { ...page.value.tail, cursor: `${plan.after}x`, more: pages.left > 0, head: 90 };
      const brought = seqs.shift() ?? [tail.cursor.length];
      return ok({ records: brought.map((seq) => ({ state, seq })), tail });
    },
  };
  const watched = {
    ...store,
    planPull: (place: NamespaceId) => store.planPull(place),
    takePage: (...given: Parameters<FakeStore["takePage"]>): PageTaken => {
      events.push(`take ${given[1].after}`);
      return store.takePage(...given);
    },
  };
  const page = new PageAhead(transport, (work) => void work());
  const ahead = { page, leave };
  const refresh = (): Promise<undefined> => {
    events.push("keys");
    return Promise.resolve(undefined);
  };
  const keys = { refresh } as Partial<KeyExchange> as KeyExchange;
  const pull = (signal = never): ReturnType<typeof exchangePull> =>
    exchangePull({ store: watched, transport, keys }, namespace, signal, ahead);
  return { store, ahead, events, signals, rests, seqs, pages, pull };
}

test("[EN2] the next page is asked for before one is taken, and is not asked for twice", async () => {
  const { pull, events } = scene();
  await pull();
  await pull();
  expect(events).toEqual(["ask ", "ask x", "take ", "ask xx", "take x"]);
});

test("[PL25] a page that is asked for ahead says how many records are still to come, the first one nothing", async () => {
  const { pull, seqs, rests } = scene();
  seqs.push([10], [30]);
  await pull();
  await pull();
  expect(rests).toEqual([undefined, 80, 60]);
});

const refused = { kind: "failed", failure: { family: "retry", code: "garbled" } };

test("[PL24] a page of nothing that says there is more is no page", async () => {
  const { pull, events, seqs } = scene();
  seqs.push([]);
  expect(await pull()).toMatchObject(refused);
  expect(events).toEqual(["ask "]);
});

for (const [name, later] of Object.entries({ "the same": [7], "an earlier": [6, 8] })) {
  test(`[PL24] a page that begins at ${name} place as the one before it ended is no page`, async () => {
    const { pull, events, seqs } = scene();
    seqs.push([7], later);
    await pull();
    expect(await pull()).toMatchObject(refused);
    expect(events).toEqual(["ask ", "ask x", "take "]);
  });
}

test("[CH3] a page that was asked for ahead is judged by what was acknowledged when it was", async () => {
  const { store, pull } = scene();
  const fake = { ...store };
  const judged: number[] = [];
  let ackedAtRequest = 0;
  store.planPull = (place) => {
    const plan = fake.planPull(place);
    return plan === undefined ? undefined : { ...plan, ackedAtRequest };
  };
  store.takePage = (...given) => {
    judged.push(given[1].ackedAtRequest);
    return fake.takePage(...given);
  };
  await pull();
  ackedAtRequest = 5;
  await pull();
  await pull();
  expect(judged).toEqual([0, 0, 5]);
});

test("[PL21] a heal that is due waits for the last page: in the middle it would fetch all the rest", async () => {
  const { store, pull, pages } = scene();
  const due = { kind: "heal-due", why: "digest" } as const;
  pages.left = 2;
  store.takeNext.page = due;
  expect(await pull()).toMatchObject({ outcome: { kind: "taken", hasMore: true } });
  store.takeNext.page = due;
  expect(await pull()).toMatchObject({ outcome: { kind: "heal-due" } });
});

test("[EE11] a key that pages lack is fetched once all of them are here", async () => {
  const { store, pull, events, pages } = scene();
  const lacksKey = { kind: "taken", lacksKey: true } as const;
  pages.left = 3;
  await pull();
  store.takeNext.page = lacksKey;
  await pull();
  expect(events).not.toContain("keys");
  store.takeNext.page = lacksKey;
  await pull();
  expect(events.at(-1)).toBe("keys");
  await pull();
  expect(events.at(-1)).toBe("take xxx");
});

test("[EN2] a copy that another process has parked is asked for nothing, and that is an answer", async () => {
  const { store, pull, events } = scene();
  store.planPull = () => undefined;
  expect(await pull()).toEqual({ kind: "pull-answered", outcome: { kind: "nothing" } });
  expect(events).toEqual([]);
});

test("[CH14] a page that was asked for ahead is given up where the copy went another way", async () => {
  const { store, pull, events, signals } = scene();
  store.takeNext.page = { kind: "fork", cause: "home-cloned" };
  await pull();
  store.change(namespace, { cursor: "elsewhere" });
  await pull();
  expect(events.slice(2, 4)).toEqual(["take ", "ask elsewhere"]);
  expect(signals[1]?.aborted).toBe(true);
});

test("[EN19] what was asked for ahead is given up when nobody comes for it", async () => {
  const { ahead, pull, signals } = scene();
  await pull();
  expect(signals[1]?.aborted).toBe(false);
  ahead.page.drop();
  expect(signals[1]?.aborted).toBe(true);
});

test("[EN19] a pull that is cancelled while it waits for such a page takes nothing of it", async () => {
  const { store, pull, events, signals } = scene();
  await pull();
  const stop = new AbortController();
  const second = pull(stop.signal);
  stop.abort();
  expect(await second).toBeUndefined();
  expect(signals[1]?.aborted).toBe(true);
  expect(events).toEqual(["ask ", "ask x", "take "]);
  expect(store.replica(namespace)?.cursor).toBe("x");
});

test("[EN19] a pull that is cancelled while the next page is asked for takes nothing either", async () => {
  const stop = new AbortController();
  const { pull, events } = scene(() => {
    stop.abort();
    return Promise.resolve();
  });
  expect(await pull(stop.signal)).toBeUndefined();
  expect(events).toEqual(["ask ", "ask x"]);
});
