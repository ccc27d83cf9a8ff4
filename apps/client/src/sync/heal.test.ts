import {
  bucketOf,
  emptyDigest,
  fail,
  ok,
  recordId,
  tombstone,
  type NamespaceId,
  type RecordId,
  type Role,
} from "@tidemark/protocol";
import { beforeEach, expect, test } from "vitest";
import { exchangeHeal, type Exchanged } from "./exchange.ts";
import { healNamespace, type HealCounts } from "./heal.ts";
import type { Work } from "./outcome.ts";
import { syncLimits } from "./sync-limits.ts";
import { createFakeStore, type FakeStore } from "./testing/fake-store.ts";
import { createFakeTransport, type FakeTransport } from "./testing/fake-transport.ts";
import { unreachable } from "./http/failures.ts";
import type { KeyExchange } from "./sealed/key-exchange.ts";
import type { Answer, Failure, HealRequest } from "./transport.ts";

let store: FakeStore;
let server: FakeTransport;
let namespace: NamespaceId;
let sent: HealRequest[];
let asked: string[];
let healed: HealCounts[];
let pageRecords: number | undefined;
let stop: AbortController;

beforeEach(() => {
  asked = [];
  healed = [];
  pageRecords = undefined;
  store = createFakeStore();
  server = createFakeTransport("mine");
  namespace = store.add("mine");
  sent = [];
  stop = new AbortController();
});

function ids(count: number, from = 0): readonly RecordId[] {
  return Array.from({ length: count }, (_, index) => {
    const bytes = new Uint8Array(16);
    new DataView(bytes.buffer).setUint32(0, from + index);
    return recordId(bytes);
  });
}

/** Gives both sides their records; those that both have differ in content. */
function between(ours: readonly RecordId[], theirs: readonly RecordId[]): void {
  const ourDigest = "2".padStart(16, "0");
  const theirDigest = "1".padStart(16, "0");
  const inBucket = (all: readonly RecordId[], bucket: number): readonly RecordId[] =>
    all.filter((id) => bucketOf(id) === bucket);
  store.bucket = (_, bucket, { after = "", upTo = "~" }) =>
    inBucket(ours, bucket)
      .filter((id) => id > after && id <= upTo)
      .map((id) => [id, ourDigest]);
  store.bucketDigests = () =>
    Array.from({ length: 256 }, (_, bucket) => {
      const count = inBucket(ours, bucket).length;
      return { digest: count === 0 ? emptyDigest : ourDigest, count };
    });
  const good = createFakeTransport();
  server.script.digests = async (ns, signal) => {
    const answer = await good.digests(ns, signal);
    if (!answer.ok) return answer;
    const buckets = answer.value.buckets.map((_, bucket) => {
      const count = inBucket(theirs, bucket).length;
      return [count === 0 ? emptyDigest : theirDigest, count] as const;
    });
    return ok({ ...answer.value, buckets });
  };
  server.script.bucket = (_, { bucket, after = "" }) => {
    asked.push(after);
    const above = inBucket(theirs, bucket).filter((id) => id > after);
    const records = above.slice(0, pageRecords).map((id) => [id, theirDigest] as const);
    return Promise.resolve(ok({ records, more: above.length > records.length }));
  };
  server.script.heal = (ns, request, signal) => {
    sent.push(request);
    return good.heal(ns, request, signal);
  };
}

function heal(): Promise<Answer<HealCounts>> {
  return healNamespace({ store, transport: server }, namespace, stop.signal);
}

test("[TM6] a heal tells how many of the parts that differ it has compared", async () => {
  between(ids(600), ids(600, 300));
  const told: Work[] = [];
  const onWork = (work: Work): void => {
    told.push(work);
  };
  await healNamespace({ store, transport: server, onWork }, namespace, stop.signal);
  const total = told[0]?.total ?? 0;
  expect(total).toBeGreaterThan(1);
  expect(told).toEqual(Array.from({ length: total }, (_, done) => ({ kind: "heal", done, total })));
});

function withRole(role: Role): void {
  store.change(namespace, { role });
}

test("[HL31] what only one side has is exchanged, in few requests", async () => {
  between(ids(30), ids(20, 1_000));
  expect(await heal()).toMatchObject({ ok: true, value: { pushed: 30, wanted: 20, ahead: 0 } });
  expect(sent).toHaveLength(1);
  expect(store.calls.at(-1)).toBe("finishHeal mine");
});

test("[HL40] a bucket is compared page by page of the server's list, and its ends too", async () => {
  const all = ids(20_000).filter((id) => bucketOf(id) === 7);
  const [first, last] = [all[0], all.at(-1)];
  const both = all.slice(10, -10);
  pageRecords = 9;
  between(
    [...all.slice(0, 10), ...both.slice(0, 20), ...all.slice(-3)],
    [...both.slice(15), ...all.slice(-10, -3)],
  );
  // Five that both have differ.
  expect(await heal()).toMatchObject({
    ok: true,
    value: { buckets: 1, pushed: 33, wanted: all.length - 33 },
  });
  expect(asked.length).toBe(Math.ceil((all.length - 28) / 9));
  const { lines, header } = sent[0] ?? { lines: [], header: { want: [] } };
  const pushed = lines.map((line) => (JSON.parse(line) as { id: string }).id);
  expect(pushed).toEqual(expect.arrayContaining([first, last]));
  expect(new Set([...pushed, ...header.want]).size).toBe(pushed.length + header.want.length);
});

test("[HL31] a record that both have but differently is delivered once, not wanted too", async () => {
  between(ids(5), ids(5));
  expect(await heal()).toMatchObject({ ok: true, value: { pushed: 5, wanted: 0 } });
});

test("[HL31] no request is larger than its aim", async () => {
  between(ids(450), ids(350, 1_000));
  await heal();
  const sizes = sent.map(({ header, lines }) => header.want.length + lines.length);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(syncLimits.healRecordsAim);
  expect(sizes.reduce((left, right) => left + right)).toBe(800);
});

test.each([
  { what: "a request", code: "too-large", family: "reject" },
  { what: "an answer", code: "answer-too-large", family: "bug" },
  { what: "a request for a proxy", code: "http-413", family: "reject" },
] as const)(
  "[HL31, EN32] $what that is too large all the same is cut in two, down to one record",
  async ({ code, family }) => {
    between(ids(5), ids(3, 1_000));
    const good = createFakeTransport();
    server.script.heal = (ns, request, signal) => {
      const size = request.header.want.length + request.lines.length;
      if (size > 1) return Promise.resolve(fail({ family, code, title: "" }));
      sent.push(request);
      return good.heal(ns, request, signal);
    };
    expect(await heal()).toMatchObject({ ok: true, value: { pushed: 5, wanted: 3 } });
    expect(sent).toHaveLength(8);
  },
);

/** A server whose answers have room for so few of the named records; gives those in its way. */
function roomFor(count: number, absent: ReadonlySet<RecordId> = new Set()): void {
  const good = createFakeTransport();
  server.script.heal = async (ns, request, signal) => {
    sent.push(request);
    const answer = await good.heal(ns, request, signal);
    if (!answer.ok) return answer;
    const held = answer.value.records.filter(({ state }) => !absent.has(state.id));
    return ok({ ...answer.value, records: held.slice(0, count) });
  };
}

test("[HL31] what an answer had no room for is asked for again at once, until all of it came", async () => {
  between(ids(5), ids(20, 1_000));
  roomFor(10);
  const taken: RecordId[] = [];
  store.takeHealed = (_, { records }) => {
    for (const { state } of records) taken.push(state.id);
  };
  expect(await heal()).toMatchObject({ ok: true, value: { pushed: 5, wanted: 20 } });
  expect(taken.toSorted()).toEqual([...ids(5), ...ids(20, 1_000)].toSorted());
  const sizes = sent.map(({ header, lines }) => [lines.length, header.want.length]);
  expect(sizes).toEqual([
    [5, 20],
    [0, 15],
    [0, 5],
  ]);
});

test("[HL31] what the server has not is not asked for for ever", async () => {
  between(ids(5), ids(20, 1_000));
  roomFor(10, new Set(ids(3)));
  expect(await heal()).toMatchObject({ ok: true, value: { pushed: 5, wanted: 20 } });
  expect(sent).toHaveLength(4);
  roomFor(10, new Set([...ids(5), ...ids(20, 1_000)]));
  sent = [];
  expect(await heal()).toMatchObject({ ok: true, value: { pushed: 5, wanted: 20 } });
  expect(sent).toHaveLength(2);
});

test("[HL31] what is named is asked for again where values that lost had filled the answer", async () => {
  between(ids(5), ids(20, 1_000));
  roomFor(50);
  const { heal: answered } = server.script;
  server.script.heal = async (ns, request, signal) => {
    const answer = await answered?.(ns, request, signal);
    if (answer?.ok !== true) throw new Error("the script answers");
    if (request.lines.length === 0) return answer;
    const records = ids(9, 9_000).map((id) => ({
      state: tombstone(id, "observation"),
      seq: 1,
      line: {},
    }));
    return ok({ ...answer.value, records });
  };
  const taken: RecordId[] = [];
  store.takeHealed = (_, { records }) => {
    for (const { state } of records) taken.push(state.id);
  };
  expect(await heal()).toMatchObject({ ok: true });
  expect(new Set(taken)).toEqual(new Set([...ids(5), ...ids(20, 1_000), ...ids(9, 9_000)]));
  expect(sent).toHaveLength(2);
});

test("[HL41] what the server had no room to keep is not asked for apart, as what it may not keep is", async () => {
  const [full, forbidden] = ids(3);
  if (full === undefined || forbidden === undefined) throw new Error("three ids are made");
  between(ids(3), []);
  roomFor(10, new Set([full, forbidden]));
  const { heal: answered } = server.script;
  server.script.heal = async (ns, request, signal) => {
    const answer = await answered?.(ns, request, signal);
    if (answer?.ok !== true) throw new Error("the script answers");
    const refused = [
      { id: full, code: "quota" },
      { id: forbidden, code: "forbidden" },
    ];
    return ok({ ...answer.value, tail: { ...answer.value.tail, refused } });
  };
  expect(await heal()).toMatchObject({ ok: true });
  expect(sent.map(({ header }) => header.want)).toEqual([[], [forbidden]]);
});

test("[HL31] of a request in halves, what neither answer had room for is asked for again", async () => {
  between(ids(6), ids(6, 1_000));
  roomFor(2);
  const { heal: answered } = server.script;
  let cut = 0;
  server.script.heal = (ns, request, signal) => {
    const size = request.header.want.length + request.lines.length;
    if (size <= 6 && answered !== undefined) return answered(ns, request, signal);
    cut += 1;
    return Promise.resolve(fail({ family: "reject", code: "too-large", title: "" }));
  };
  const taken: RecordId[] = [];
  store.takeHealed = (_, { records }) => {
    for (const { state } of records) taken.push(state.id);
  };
  expect(await heal()).toMatchObject({ ok: true, value: { pushed: 6, wanted: 6 } });
  // Nothing that had come was asked for again.
  expect(taken.toSorted()).toEqual([...ids(6), ...ids(6, 1_000)].toSorted());
  expect(cut).toBeGreaterThan(0);
});

test("[HL39] one state that no heal can carry counts as refused, and is asked for instead", async () => {
  const [large] = ids(3);
  between(ids(3), []);
  const good = createFakeTransport();
  server.script.heal = (ns, request, signal) => {
    if (request.lines.some((line) => line.includes(String(large)))) {
      return Promise.resolve(fail({ family: "reject", code: "too-large", title: "" }));
    }
    sent.push(request);
    return good.heal(ns, request, signal);
  };
  expect(await heal()).toMatchObject({ ok: true, value: { pushed: 3, refused: 1 } });
  expect(sent.filter(({ header }) => header.want.some((one) => one === large))).toHaveLength(1);
});

test.each([1, 2])("[HL35] a heal whose half %i fails does not finish", async (failing) => {
  between(ids(6), []);
  const good = createFakeTransport();
  server.script.heal = (ns, request, signal) => {
    if (request.lines.length > 3) {
      return Promise.resolve(fail({ family: "reject", code: "too-large", title: "" }));
    }
    sent.push(request);
    return sent.length === failing
      ? Promise.resolve(fail(unreachable))
      : good.heal(ns, request, signal);
  };
  expect(await heal()).toEqual({ ok: false, error: unreachable });
  expect(sent).toHaveLength(failing);
  expect(store.calls).not.toContain("finishHeal mine");
});

test("[HL34] a clock that is ahead is told with what differs, not once more", async () => {
  store.change(namespace, { lamport: 99 });
  for (const count of [1, syncLimits.healRecordsAim, syncLimits.healRecordsAim + 1]) {
    sent = [];
    between(ids(count), []);
    await heal();
    expect(sent).toHaveLength(Math.ceil(count / syncLimits.healRecordsAim));
  }
});

test("[HL33] a reader only takes; what only readers have is counted, never delivered", async () => {
  withRole("reader");
  between(ids(4), ids(6, 1_000));
  expect(await heal()).toMatchObject({ ok: true, value: { pushed: 0, wanted: 10, ahead: 4 } });
  expect(sent.flatMap(({ lines }) => lines)).toEqual([]);
});

test("[EE10] while the log is not believed nothing is delivered, a clock neither; what the server has is taken", async () => {
  const told = { namespace, length: 1, head: "", epoch: 1, name: "mine" };
  const sealing = { ...told, hasKey: true };
  store.sealing = () => ({ ...sealing, trouble: "another log" });
  store.change(namespace, { lamport: 99 });
  between(ids(4), []);
  expect(await heal()).toMatchObject({ ok: true, value: { pushed: 0, wanted: 4, ahead: 4 } });
  expect(sent.flatMap(({ lines }) => lines)).toEqual([]);
  sent = [];
  between([], []);
  await heal();
  expect(sent).toEqual([]);
  store.sealing = () => ({ ...sealing, trouble: undefined });
  between(ids(4), []);
  expect(await heal()).toMatchObject({ ok: true, value: { pushed: 4, ahead: 0 } });
});

/** Heals as the engine does, with a log that is read first; `read` is what becomes of that. */
function healWithLog(read: () => Failure | undefined): Promise<Exchanged> {
  const keys = { refresh: () => Promise.resolve(read()) } as Partial<KeyExchange> as KeyExchange;
  const deps = {
    store,
    transport: server,
    keys,
    onHealed: (counts: HealCounts) => healed.push(counts),
  };
  return exchangeHeal(deps, namespace, stop.signal);
}

test("[EE20] the log is read, and given back where it was lost, before anything is delivered", async () => {
  between(ids(3), []);
  const healed = await healWithLog(() => {
    expect([server.calls, sent]).toEqual([[], []]);
    return undefined;
  });
  expect(healed).toEqual({ kind: "heal-answered", left: 0 });
  expect(sent.flatMap(({ lines }) => lines)).toHaveLength(3);
});

test("[EE20] without a word of the log nothing is healed, and nothing is said once it was cancelled", async () => {
  between(ids(3), []);
  const failed = { kind: "failed", lane: "heal", failure: unreachable };
  expect(await healWithLog(() => unreachable)).toEqual(failed);
  stop.abort();
  expect(await healWithLog(() => undefined)).toBeUndefined();
  expect(sent).toEqual([]);
});

test("[HL28] what a heal could not make equal is counted: what only a reader has, what the server refused", async () => {
  withRole("reader");
  between(ids(4), []);
  expect(await healWithLog(() => undefined)).toEqual({ kind: "heal-answered", left: 4 });
  withRole("writer");
  server.script.heal = async (ns, request, signal) => {
    const answer = await createFakeTransport().heal(ns, request, signal);
    if (!answer.ok) return answer;
    const refused = ids(1).map((id) => ({ id, code: "quota" }) as const);
    return ok({ ...answer.value, tail: { ...answer.value.tail, refused } });
  };
  expect(await healWithLog(() => undefined)).toEqual({ kind: "heal-answered", left: 1 });
  expect(healed).toMatchObject([{ ahead: 4 }, { refused: 1 }]);
});

test("[HL34] a clock that is ahead is told even where nothing differs", async () => {
  between([], []);
  await heal();
  expect(sent).toEqual([]);
  store.change(namespace, { lamport: 99 });
  await heal();
  expect(sent).toMatchObject([{ header: { lamport: 99, want: [] }, lines: [] }]);
});

test("[HL35] a heal that fails half-way does not finish, and keeps what it exchanged", async () => {
  between(ids(450), []);
  const good = createFakeTransport();
  server.script.heal = (ns, request, signal) => {
    sent.push(request);
    return sent.length > 1 ? Promise.resolve(fail(unreachable)) : good.heal(ns, request, signal);
  };
  expect(await heal()).toEqual({ ok: false, error: unreachable });
  expect(store.calls).toContain("takeHealed mine");
  expect(store.calls).not.toContain("finishHeal mine");
});

test("[HL35] nothing of an answer is taken once the heal is cancelled", async () => {
  between(ids(3), []);
  const good = createFakeTransport();
  server.script.heal = (ns, request, signal) => {
    stop.abort();
    return good.heal(ns, request, signal);
  };
  expect(await heal()).toMatchObject({ ok: false, error: { code: "cancelled" } });
  expect(store.calls).toEqual([]);
});

test("states that the server refuses are counted", async () => {
  const [first] = ids(1);
  between(ids(1), []);
  server.script.heal = async (ns, request, signal) => {
    const answer = await createFakeTransport().heal(ns, request, signal);
    if (!answer.ok || first === undefined) return answer;
    const refused = [{ id: first, code: "quota" } as const];
    const records = [{ state: tombstone(first, "observation"), seq: 1, line: {} }];
    return ok({ records, tail: { ...answer.value.tail, refused } });
  };
  expect(await heal()).toMatchObject({ ok: true, value: { refused: 1 } });
});
