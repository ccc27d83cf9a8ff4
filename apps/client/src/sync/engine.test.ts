import { fail, limits, ok, tombstone, type NamespaceId, type RecordId } from "@tidemark/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SyncEngine } from "./engine.ts";
import { unreachable } from "./http/failures.ts";
import type { Report } from "./machine/effect.ts";
import type { NamespaceProgress } from "./outcome.ts";
import type { KeyExchange } from "./sealed/key-exchange.ts";
import { createFakeStore, type FakeStore } from "./testing/fake-store.ts";
import { createFakeTransport, listedAs, type FakeTransport } from "./testing/fake-transport.ts";
import { syncLimits } from "./sync-limits.ts";
import { createTestEngine } from "./testing/test-engine.ts";
import { createVirtualTime, type VirtualTime } from "./testing/virtual-time.ts";
import { cancelled, type Answer, type Failure } from "./transport.ts";

let time: VirtualTime;
let store: FakeStore;
let server: FakeTransport;
let engine: SyncEngine;
let reports: Report[];
let stop: AbortController;
let running: Promise<void> | undefined;
let mine: NamespaceId;
let ours: NamespaceId;

beforeEach(() => {
  time = createVirtualTime();
  store = createFakeStore();
  mine = store.add("mine");
  ours = store.add("ours");
  server = createFakeTransport("mine", "ours");
  reports = [];
  stop = new AbortController();
  running = undefined;
  engine = newEngine();
});

function newEngine(keys?: KeyExchange): SyncEngine {
  return createTestEngine(time, {
    store,
    transport: server,
    ...(keys === undefined ? {} : { keys }),
    onReport: (_, report) => {
      reports.push(report);
    },
  });
}

afterEach(async () => {
  stop.abort();
  if (running !== undefined) await time.until(running);
});

async function start(): Promise<void> {
  running = engine.run(stop.signal);
  await time.flush();
}

function once(budgetMs?: number): ReturnType<SyncEngine["syncOnce"]> {
  const options = { signal: stop.signal, ...(budgetMs === undefined ? {} : { budgetMs }) };
  return time.until(engine.syncOnce(options));
}

function failing(failure: Failure): () => Promise<Answer<never>> {
  return () => Promise.resolve(fail(failure));
}

function count(call: string): number {
  return server.calls.filter((made) => made === call).length;
}

test("[EN11] a one-shot sync pushes and pulls everything and tells how each namespace stands", async () => {
  store.change(mine, { unsent: limits.pushOpsMax + 1 });
  const outcome = await once();
  expect(outcome.isDone).toBe(true);
  expect(count("push mine")).toBe(2);
  expect(outcome.namespaces.map(({ namespace, isDone }) => [namespace, isDone])).toEqual([
    ["mine", true],
    ["ours", true],
  ]);
});

test("[TM6] a sync tells how far its pulls are, by what was reached of the head", async () => {
  const good = createFakeTransport("mine", "ours");
  const pages = [[20, 30], [70, 80], []];
  server.script.pull = async (namespace, plan, signal) => {
    const answer = await good.pull(namespace, plan, signal);
    const seqs = namespace === "mine" ? pages.shift() : undefined;
    if (!answer.ok || seqs === undefined) return answer;
    const { tail } = answer.value;
    const state = tombstone("r" as RecordId, "observation");
    const records = seqs.map((seq) => ({ state, seq }));
    return ok({ records, tail: { ...tail, head: 100, more: pages.length > 0 } });
  };
  const told = new Set<string>();
  const onProgress = (look: () => readonly NamespaceProgress[]): void => {
    const work = look().find(({ namespace }) => namespace === mine)?.work;
    if (work !== undefined) told.add(`${work.kind} ${work.done}/${work.total}`);
  };
  await time.until(engine.syncOnce({ signal: stop.signal, onProgress }));
  expect([...told]).toEqual(["pull 30/100", "pull 80/100", "pull 100/100"]);
});

test("[EN10] a namespace that fails leaves work, and the other is done all the same", async () => {
  store.change(mine, { unsent: 1 });
  store.change(ours, { unsent: 1 });
  const good = createFakeTransport();
  server.script.push = (namespace, request, signal) =>
    namespace === mine ? failing(unreachable)() : good.push(namespace, request, signal);
  const outcome = await once();
  expect(outcome.isDone).toBe(false);
  expect(outcome.namespaces).toMatchObject([
    { namespace: "mine", isDone: false, unsent: 1, failure: { code: "unreachable" } },
    { namespace: "ours", isDone: true, unsent: 0 },
  ]);
});

test("[PS8] a push carries no more ops than the server says it takes", async () => {
  store.change(mine, { unsent: 5 });
  const good = createFakeTransport("mine", "ours");
  server.script.hello = async (signal) => {
    const hello = await good.hello(signal);
    return hello.ok ? ok({ ...hello.value, limits: { ...limits, pushOpsMax: 2 } }) : hello;
  };
  await once();
  expect(count("push mine")).toBe(3);
});

test("[EN26] of many namespaces sixteen exchanges at most are under way, and all are done", async () => {
  const names = Array.from({ length: 40 }, (_, at) => `n${String(at)}`);
  for (const name of names) store.change(store.add(name), { unsent: 1 });
  server.listed = names.map(listedAs);
  const good = createFakeTransport();
  const underWay = { now: 0, most: 0 };
  const slowly = async <T>(work: () => Promise<T>): Promise<T> => {
    underWay.now += 1;
    underWay.most = Math.max(underWay.most, underWay.now);
    await time.sleep(100, stop.signal);
    underWay.now -= 1;
    return await work();
  };
  server.script.push = (...given) => slowly(() => good.push(...given));
  server.script.pull = (...given) => slowly(() => good.pull(...given));
  const { namespaces } = await once();
  expect(namespaces.filter(({ isDone }) => isDone)).toHaveLength(42);
  expect(underWay.most).toBe(syncLimits.exchangesMax);
});

test("[EN12] without a server a one-shot sync gives up within seconds and says why", async () => {
  const startMs = time.nowMs();
  server.script.hello = failing(unreachable);
  const outcome = await once();
  expect(outcome).toMatchObject({ isDone: false, failure: { code: "unreachable" } });
  expect(time.nowMs() - startMs).toBeLessThan(10_000);
});

test("[EN12] a server that asks for a long pause is not waited for", async () => {
  server.script.pull = failing({ ...unreachable, retryAfterMs: 120_000 });
  const startMs = time.nowMs();
  expect((await once()).isDone).toBe(false);
  expect(time.nowMs() - startMs).toBeLessThan(10_000);
});

test("[EN12] the budget ends a one-shot sync where it is", async () => {
  server.script.pull = (_, __, signal) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve(fail(unreachable)));
    });
  expect((await once(5_000)).isDone).toBe(false);
});

test("[EN12] a server that is silent until the budget ends cannot be reached: nobody cancelled it", async () => {
  server.script.hello = (signal) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve(fail(cancelled)));
    });
  expect(await once(5_000)).toMatchObject({ failure: { family: "retry", code: "unreachable" } });
  const asked = engine.syncOnce({ signal: stop.signal });
  await time.flush();
  stop.abort();
  expect(await asked).toMatchObject({ failure: { code: "cancelled" } });
});

test("[EN11] what is captured during a one-shot sync goes along", async () => {
  store.change(mine, { unsent: 1 });
  let isCaptured = false;
  server.script.pull = (namespace, request, signal) => {
    if (!isCaptured && store.calls.includes("takePushAnswer mine")) {
      isCaptured = true;
      store.change(mine, { unsent: 1 });
    }
    return createFakeTransport().pull(namespace, request, signal);
  };
  expect((await once()).isDone).toBe(true);
  expect(count("push mine")).toBe(2);
});

test("[EN16] another server behind the same address gets nothing", async () => {
  server.serverId = "srv_other";
  const outcome = await once();
  expect(outcome.failure?.code).toBe("wrong-server");
  expect(server.calls).toEqual(["hello"]);
});

test("[EN16] an answer to nobody in particular parks nothing", async () => {
  server.script.hello = async (signal) => {
    const hello = await createFakeTransport().hello(signal);
    return hello.ok ? { ok: true, value: { ...hello.value, namespaces: undefined } } : hello;
  };
  await once();
  expect(store.replicas().map(({ status }) => status)).toEqual(["active", "active"]);
});

test("a parked namespace with nothing unsent is done; with something unsent it is not", async () => {
  server.listed = [listedAs("ours")];
  expect((await once()).isDone).toBe(true);
  store.change(mine, { unsent: 2 });
  expect((await once()).namespaces[0]).toMatchObject({ state: "parked", isDone: false });
});

test("[EN17] what other processes write is found and pushed within seconds", async () => {
  await start();
  expect(count("push mine")).toBe(0);
  store.change(mine, { unsent: 1 });
  await time.advance(4_000);
  expect(count("push mine")).toBe(1);
});

test("[EN17] a wake saves the wait", async () => {
  await start();
  store.change(mine, { unsent: 1 });
  engine.wake();
  await time.advance(1_300);
  expect(count("push mine")).toBe(1);
});

test("[EN13] the stream opens before the pull that it announces, and a poke pulls at once", async () => {
  await start();
  expect(server.calls.indexOf("pokes")).toBeLessThan(server.calls.lastIndexOf("pull mine"));
  const pulls = count("pull mine");
  server.poke({ namespace: mine, head: 9 });
  await time.flush();
  expect(count("pull mine")).toBe(pulls + 1);
  server.poke({ namespace: mine, head: 1 });
  await time.flush();
  expect(count("pull mine"), "a head that is known already").toBe(pulls + 1);
});

test.each([
  { what: "its own head pulls nothing", head: 9, pulls: 0 },
  { what: "a later head pulls", head: 10, pulls: 1 },
])("[EN25] a poke during a push waits for the answer: $what", async ({ head, pulls }) => {
  await start();
  let answer: () => void = () => undefined;
  const good = createFakeTransport();
  server.script.push = async (...given) => {
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    return await good.push(...given);
  };
  store.change(mine, { unsent: 1 });
  await time.advance(syncLimits.outboxPollMs + syncLimits.pushGatherMsMax);
  expect(count("push mine")).toBe(1);
  const before = count("pull mine");
  server.poke({ namespace: mine, head });
  await time.flush();
  expect(count("pull mine")).toBe(before);
  store.takeNext.push = { kind: "advanced" };
  store.change(mine, { head: 9, verified: true });
  answer();
  await time.advance(syncLimits.ownPokeMs);
  expect(count("pull mine")).toBe(before + pulls);
});

test("[NS10] a poke of a namespace that is not known yet asks `hello` what it is, soon and once", async () => {
  await start();
  const hellos = count("hello");
  server.listed = [listedAs("mine"), listedAs("ours"), listedAs("new")];
  for (let head = 1; head < 9; head += 1) {
    server.poke({ namespace: "new" as NamespaceId, head });
    await time.flush();
  }
  await time.advance(syncLimits.helloGapMs);
  expect(count("hello")).toBe(hellos + 1);
  expect(count("pull new")).toBe(1);
});

test("[NS27] a copy that another process has dropped is asked for no more", async () => {
  await start();
  store.drop(ours);
  server.listed = [listedAs("mine")];
  server.poke({ namespace: "unknown" as NamespaceId, head: 1 });
  await time.advance(syncLimits.helloGapMs);
  const pulls = count("pull ours");
  await time.advance(600_000);
  expect(count("pull ours")).toBe(pulls);
  expect(count("pull mine")).toBeGreaterThan(1);
});

test("[EN7] without a stream the engine polls every minute, beside one every five", async () => {
  await start();
  const pulls = count("pull mine");
  await time.advance(100_000);
  expect(count("pull mine")).toBe(pulls);
  server.script.pokes = async function* () {
    await time.flush();
    yield { kind: "closed", failure: { ...unreachable, family: "bug" } } as const;
  };
  server.closeStreams();
  await time.advance(190_000);
  expect(count("pull mine")).toBe(pulls + 3);
});

test("[EE21] while a device that was just paired is waited for, hello is said every ten seconds", async () => {
  let isExpecting = true;
  engine = newEngine({
    announce: async () => false,
    refresh: async () => undefined,
    followLinks: async () => undefined,
    isExpecting: () => isExpecting,
    takeNewLink: () => false,
  });
  await start();
  const before = count("hello");
  await time.advance(5 * syncLimits.expectingMs + 1_000);
  expect(count("hello") - before).toBe(5);
  isExpecting = false;
  await time.advance(syncLimits.expectingMs);
  const after = count("hello");
  await time.advance(syncLimits.helloMs / 2 - syncLimits.expectingMs);
  expect(count("hello")).toBe(after);
});

test("[EE21] a link that another process made is asked after within seconds, once", async () => {
  let isNew = false;
  const taken = (): boolean => {
    const was = isNew;
    isNew = false;
    return was;
  };
  engine = newEngine({
    announce: async () => false,
    refresh: async () => undefined,
    followLinks: async () => undefined,
    isExpecting: () => false,
    takeNewLink: taken,
  });
  await start();
  await time.advance(syncLimits.helloGapMs + syncLimits.outboxPollMs);
  const before = count("hello");
  isNew = true;
  await time.advance(syncLimits.outboxPollMs + 1);
  expect(count("hello")).toBe(before + 1);
  await time.advance(60_000);
  expect(count("hello")).toBe(before + 1);
});

test("[EN13] streams that close at once time after time are left alone for a while", async () => {
  server.script.pokes = async function* () {
    await time.flush();
    yield { kind: "open" } as const;
    yield { kind: "closed", failure: unreachable } as const;
  };
  await start();
  await time.advance(500_000);
  expect(count("pokes")).toBe(3);
  await time.advance(600_000);
  expect(count("pokes")).toBeGreaterThan(3);
});

test("[EN18] trouble of the store is tried again and stops no other namespace", async () => {
  const busy = Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" });
  store.throwNext.set("takePage", busy);
  await start();
  expect(count("pull ours")).toBeGreaterThan(0);
  await time.advance(61_000);
  expect(store.replica(mine)?.verified).toBe(true);
  expect(store.replica(ours)?.verified).toBe(true);
});

test("[EN18] a defect is kept at arm's length: reported, tried again after long", async () => {
  store.throwNext.set("takePage", new TypeError("a bug"));
  await start();
  expect(reports).toContainEqual({ kind: "trouble", lane: "pull", code: "defect" });
  await time.advance(400_000);
  expect(store.replica(mine)?.verified).toBe(true);
});

test("[NS11] a namespace that is denied is looked up, parked, and resumed when it is back", async () => {
  await start();
  server.listed = [listedAs("ours")];
  const good = createFakeTransport();
  server.script.pull = (namespace, request, signal) =>
    namespace === mine && server.listed.length === 1
      ? failing({ family: "reject", code: "not-found", title: "" })()
      : good.pull(namespace, request, signal);
  server.poke({ namespace: mine, head: 5 });
  await time.advance(6_000);
  expect(store.replica(mine)?.status).toBe("parked");
  store.change(mine, { unsent: 3 });
  await time.advance(60_000);
  expect(count("push mine")).toBe(0);
  server.listed = [listedAs("mine"), listedAs("ours")];
  await time.advance(400_000);
  expect(count("push mine")).toBe(1);
});

test("[HL32] unequal digests are healed and then compared again", async () => {
  store.takeNext.page = { kind: "heal-due", why: "digests" };
  const outcome = await once();
  expect(outcome.isDone).toBe(true);
  expect(store.calls.filter((call) => call.startsWith("finishHeal"))).toHaveLength(1);
});

test("[CH4] after a fork the order is pull, heal, push", async () => {
  store.change(mine, { unsent: 1 });
  store.takeNext.push = { kind: "fork", cause: "home-cloned" };
  server.listed = [listedAs("mine")];
  await once();
  const order = server.calls.filter((call) => call.endsWith(" mine"));
  expect(order.indexOf("digests mine")).toBeGreaterThan(order.indexOf("push mine"));
  expect(reports).toContainEqual({ kind: "fork", cause: "home-cloned" });
});

test("[CH4] a writer that belongs to another device is given up, by push and by pull", async () => {
  const foreign: Failure = { family: "heal", code: "writer-foreign", title: "" };
  const good = createFakeTransport();
  for (const lane of ["push", "pull"] as const) {
    let isFirst = true;
    const answerOnce = <T>(answer: () => Promise<Answer<T>>): Promise<Answer<T>> => {
      if (!isFirst) return answer();
      isFirst = false;
      return failing(foreign)();
    };
    store.change(mine, { unsent: 1 });
    store.takeNext.position = { kind: "fork", cause: "home-cloned" };
    server.listed = [listedAs("mine")];
    if (lane === "push") server.script.push = (...given) => answerOnce(() => good.push(...given));
    else server.script.pull = (...given) => answerOnce(() => good.pull(...given));
    expect(await once()).toMatchObject({ isDone: true });
  }
  expect(reports.filter(({ kind }) => kind === "fork")).toHaveLength(2);
});

test("[CH4] a writer that belongs to another device is given up by a heal, where no pull comes to it", async () => {
  const good = createFakeTransport();
  const asked: unknown[] = [];
  store.takePosition = (_, ackedAtRequest, { acked, chain }, writer) => {
    asked.push([acked - ackedAtRequest, chain, writer]);
    return { kind: "fork", cause: "home-cloned" };
  };
  store.takeNext.page = { kind: "heal-due", why: "history" };
  server.listed = [listedAs("mine")];
  let heals = 0;
  server.script.digests = (...given) => {
    heals += 1;
    const foreign: Failure = { family: "heal", code: "writer-foreign", title: "" };
    return heals === 1 ? failing(foreign)() : good.digests(...given);
  };
  store.change(mine, { needsHeal: true });
  expect(await once()).toMatchObject({ isDone: true });
  expect(asked).toEqual([[0, "0".repeat(64), store.planPull(mine)?.writer]]);
  expect(reports).toContainEqual({ kind: "fork", cause: "home-cloned" });
});

test("a heal waits until a pull has reached the head", async () => {
  store.takeNext.page = { kind: "heal-due", why: "digest" };
  server.listed = [listedAs("mine")];
  let pages = 0;
  const good = createFakeTransport();
  server.script.pull = async (...given) => {
    pages += 1;
    const page = await good.pull(...given);
    if (!page.ok || pages > 1) return page;
    const records = [{ state: tombstone("r" as RecordId, "observation"), seq: 1 }];
    return ok({ records, tail: { ...page.value.tail, more: true } });
  };
  expect(await once()).toMatchObject({ isDone: true });
  const order = server.calls.filter((call) => /^(?:pull|digests) mine$/.test(call));
  expect(order.slice(0, 3)).toEqual(["pull mine", "pull mine", "digests mine"]);
});

test("[PL24, EN5] pages that lead nowhere are asked for with the backoff of a failure", async () => {
  const good = createFakeTransport();
  server.listed = [listedAs("mine")];
  server.script.pull = async (...given) => {
    const page = await good.pull(...given);
    return page.ok ? ok({ records: [], tail: { ...page.value.tail, more: true } }) : page;
  };
  const { isDone, namespaces } = await once();
  expect(isDone).toBe(false);
  expect(namespaces[0]).toMatchObject({ namespace: "mine", failure: { code: "garbled" } });
  expect(count("pull mine")).toBe(syncLimits.onceFailuresMax);
});

test.each(["too-large", "invalid"])(
  "[EN8] an op that no push can carry, for it is %s, is refused here, and the rest goes on",
  async (code) => {
    store.change(mine, { unsent: 4 });
    const good = createFakeTransport();
    server.script.push = (namespace, request, signal) =>
      request.lines.length > 1 || store.replica(mine)?.rejected === 0
        ? failing({ family: "reject", code, title: "" })()
        : good.push(namespace, request, signal);
    const outcome = await once();
    expect(store.calls).toContain(`rejectOp writer 1 ${code} mine`);
    expect(outcome.namespaces[0]).toMatchObject({ unsent: 0, rejected: 1 });
  },
);

test.each([
  { code: "history", told: ["demandHeal mine"] },
  { code: "lamport-too-far", told: ["demandHeal mine", "restampLamports mine"] },
])(
  "[EN9, CK4] what a push that fails by $code asks of the store is done",
  async ({ code, told }) => {
    store.change(mine, { unsent: 1 });
    server.script.push = failing({ family: "heal", code, title: "" });
    await once();
    expect(store.calls.filter((call) => told.includes(call))).toEqual(told);
  },
);

test.each([
  { left: 0, order: ["pull", "push", "pull", "pull"] },
  { left: 4, order: ["pull", "push", "pull", "push", "pull"] },
])(
  "[PS31] after a lost answer $left ops are left, and the echo is pulled behind them",
  async ({ left, order }) => {
    store.change(mine, { unsent: 9 });
    const good = createFakeTransport();
    const position = { acked: 0, chain: "0".repeat(64), since: 0, results: [] };
    const told = { family: "heal", code: "writer-position", title: "", position } as const;
    server.script.push = (...given) => {
      if (count("push mine") > 0) return good.push(...given);
      store.change(mine, { unsent: left });
      return failing(told)();
    };
    await start();
    const calls = server.calls.filter((call) => /^pu.. mine$/.test(call));
    expect(calls).toEqual(order.map((call) => `${call} mine`));
  },
);

test("[AU51] a revoked device keeps what it has and says so (abuse 78)", async () => {
  store.change(mine, { unsent: 2 });
  server.script.push = failing({ family: "auth", code: "device-revoked", title: "Revoked." });
  const outcome = await once();
  expect(outcome.namespaces[0]).toMatchObject({
    state: "needs-login",
    unsent: 2,
    isDone: false,
    failure: { code: "device-revoked" },
  });
});

test("[EN19] a run ends when it is told to, with nothing left in flight", async () => {
  server.script.pull = (_, __, signal) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve(fail(unreachable)));
    });
  await start();
  stop.abort();
  await running;
  const calls = server.calls.length;
  await time.advance(1_000_000);
  expect(server.calls).toHaveLength(calls);
});
