import { fail, unpairedNamespace } from "@tidemark/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pairedStore, pullAll, pushOnce, settle } from "../../../store/testing/exchange.ts";
import { seededRandom, testStore } from "../../../store/testing/test-store.ts";
import { id, make, namespace, put, set, world } from "../../../store/testing/world.ts";
import type { Store } from "../../../store/store.ts";
import { lastFailureName, lastFailureText } from "../../../sync/last-failure.ts";
import type { CliDeps } from "../deps.ts";
import { clearLine } from "../progress.ts";
import { runCli } from "../run-cli.ts";
import { createToldIo } from "../testing/told-io.ts";

const nowMs = 1_700_000_000_000;
let store: Store;
let server: ReturnType<typeof world>["server"];
let isPaired = true;

beforeEach(() => {
  isPaired = true;
  ({ a: store, server } = world());
});

afterEach(() => {
  store.close();
});

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command line over the real store, as a script does. */
async function run(...argv: readonly string[]): Promise<Ended> {
  return await runOver(store, argv);
}

async function runOver(
  over: Store,
  argv: readonly string[],
  more: Partial<CliDeps> = {},
): Promise<Ended> {
  const { io, told } = createToldIo();
  const deps = {
    io,
    clock: { nowMs: () => nowMs },
    signal: new AbortController().signal,
    version: "0.0.0",
    memory: () => ({ store: over }),
    home: () => ({ identity: () => (isPaired ? { user: { name: "Ada" } } : undefined) }),
    ...more,
  };
  const code = await runCli(deps as unknown as CliDeps, argv);
  return { code, ...told };
}

async function json(...argv: readonly string[]): Promise<unknown> {
  const { code, out, err } = await run(...argv, "--json");
  expect(err).toBe("");
  expect(code).toBe(0);
  return JSON.parse(out);
}

/** One change of every kind: two unsent, one not verified, two refused, of which one depends. */
function fill(): void {
  server.refusals.set("refused1", "quota");
  make(store, put("refused1", { title: "too much" }), set("refused1", { title: "still too much" }));
  pushOnce(store, server, 1);
  server.refusals.clear();
  pushOnce(store, server);
  make(store, put("sent1", { title: "sent" }));
  pushOnce(store, server);
  make(store, put("unsent1", { title: "one" }), put("unsent2", { title: "two" }));
}

test("[CL41] an empty outbox says so", async () => {
  expect(await run("outbox", "list")).toEqual({
    code: 0,
    out: "nothing waits: every change was sent and verified\n",
    err: "",
  });
  expect(await json("outbox", "list")).toEqual({
    namespaces: [
      { id: namespace, name: "personal", status: "active", unsent: 0, unverified: 0, rejected: 0 },
    ],
    items: [],
    total: 0,
    lastFailure: null,
  });
});

test("[CL41] everything that waits is listed, refused first, with reasons in words and counts", async () => {
  fill();
  const { out } = await run("outbox", "list");
  const lines = out.trimEnd().split("\n");
  expect(lines[0]).toBe("personal: 2 unsent, 1 not verified, 2 refused");
  expect(lines.slice(1, 6).map((line) => line.replaceAll(/ {2,}/g, "  "))).toEqual([
    "refused1  personal  put  refused: the namespace is full, or this device has sent all that it may " +
      "in a day: forget what nobody needs, send it again tomorrow, or have the server's quota raised  still too much",
    "refused1  personal  set  refused: it builds on a refused change  still too much",
    "sent1  personal  put  not verified  sent",
    "unsent1  personal  put  unsent  one",
    "unsent2  personal  put  unsent  two",
  ]);
  expect(lines.slice(6)).toEqual([
    "hint: tidemark sync",
    "hint: tidemark outbox retry <record>, or tidemark outbox drop <record>",
  ]);
  expect(await json("outbox", "list")).toMatchObject({
    namespaces: [{ id: namespace, unsent: 2, unverified: 1, rejected: 2 }],
    items: [
      { record: "refused1", op: "put", state: "rejected", code: "quota", reason: /full/ },
      { record: "refused1", op: "set", state: "rejected", code: "depends" },
      { record: "sent1", op: "put", state: "unverified", code: null, reason: null },
      { record: "unsent1", state: "unsent" },
      { record: "unsent2", state: "unsent" },
    ].map(({ reason, ...item }) =>
      reason instanceof RegExp ? { ...item, reason: expect.stringMatching(reason) } : item,
    ),
    total: 5,
  });
});

test("[CL41] a long outbox is cut, says so, and counts everything all the same", async () => {
  make(store, ...Array.from({ length: 60 }, (_, n) => put(`record${String(n)}`, { title: "x" })));
  expect((await run("outbox", "list")).out).toContain("… 10 more changes: --limit or --all\n");
  expect((await run("outbox", "list", "--limit", "59")).out).toContain("… 1 more change:");
  expect((await run("outbox", "list", "--all")).out).not.toContain("…");
  expect(await json("outbox", "list", "--limit", "2")).toMatchObject({
    items: [{ record: "record0" }, { record: "record1" }],
    namespaces: [{ unsent: 60 }],
    total: 60,
  });
});

test("[CL71] a long list of refused changes is cut, says so, and counts them all", async () => {
  const records = Array.from({ length: 60 }, (_, n) => `record${String(n)}`);
  for (const record of records) server.refusals.set(record, "forbidden");
  make(store, ...records.map((record) => put(record, { title: "x" })));
  pushOnce(store, server);
  make(store, put("unsent1", { title: "one" }));
  const lines = (await run("rejected")).out.trimEnd().split("\n");
  expect(lines).toHaveLength(52);
  expect(lines.slice(-2)).toEqual([
    "… 10 more changes: --limit or --all",
    "tidemark rejected retry <record>, or tidemark rejected drop <record>",
  ]);
  expect((await run("rejected", "--limit", "59")).out).toContain("… 1 more change:");
  const all = (await run("rejected", "--all")).out;
  expect(all).not.toContain("…");
  expect(all).not.toContain("unsent1");
  const [{ writer } = { writer: "" }] = store.reads.rejected();
  const more = { namespace, writer, op: "put", code: "forbidden" };
  expect(await json("rejected", "--limit", "2")).toEqual({
    items: [
      { ...more, record: "record0", n: 1 },
      { ...more, record: "record1", n: 2 },
    ],
    total: 60,
  });
  // More than there are: what only waits is not refused.
  expect(await json("rejected", "--limit", "99")).toMatchObject({ items: { length: 60 } });
});

test("[CL41] it says why the last sync failed, and what helps where nothing is paired", async () => {
  make(store, put("record1", { title: "one" }));
  const failure = { family: "retry", code: "unreachable", title: "It is away." } as const;
  store.upkeep.setMeta(lastFailureName, lastFailureText(failure, nowMs - 120_000));
  expect((await run("outbox", "list")).out).toContain("the last sync failed 2m ago: It is away.\n");
  store.close();
  store = testStore();
  const saved = store.changes.change(unpairedNamespace, [put("record1", { title: "one" })], nowMs);
  expect(saved.ok).toBe(true);
  // Paired just now, and not synced yet.
  expect((await run("outbox", "list")).out).toMatch(/\nhint: tidemark sync\n$/);
  isPaired = false;
  expect((await run("outbox", "list")).out).toMatch(/\nhint: tidemark pair <link>\n$/);
});

test("[CL41] what a terminal would act on is taken out of names and titles (abuse 173)", async () => {
  make(store, put("record1", { title: "a\u001b[31mb" }));
  expect((await run("outbox", "list")).out).not.toContain("\u001b");
});

for (const word of ["rejected", "outbox"]) {
  test(`[CL29] ${word} retry sends a refused change again, with what builds on it`, async () => {
    fill();
    expect(await json(word, "retry", "refused1")).toEqual({ retried: 1 });
    expect(store.reads.rejected()).toEqual([]);
    pushOnce(store, server);
    pullAll(store, server);
    expect(await json("outbox", "list")).toMatchObject({ items: [], total: 0 });
    expect(server.state("refused1")).toMatchObject({
      registers: { title: { value: "still too much" } },
    });
  });

  test(`[CL29] ${word} drop gives up refused changes alone`, async () => {
    fill();
    expect((await run(word, "drop", "unsent1")).code).toBe(1);
    expect(await json(word, "drop", "--all")).toEqual({ dropped: 2 });
    expect(await json("outbox", "list")).toMatchObject({
      namespaces: [{ unsent: 2, unverified: 1, rejected: 0 }],
      total: 3,
    });
  });
}

test("[CL1, CL37] outbox alone is wrong usage; its help names its verbs", async () => {
  expect((await run("outbox")).code).toBe(2);
  expect((await run("outbox", "lst")).code).toBe(2);
  const help = await run("help", "outbox");
  for (const verb of ["list", "retry", "drop"]) expect(help.out).toContain(`  ${verb} `);
  expect((await run("outbox", "list", "--help")).out).toContain("not verified:");
});

/** Two changes that are refused, one of a record that another device has forgotten meanwhile. */
function refuseTwo(): void {
  make(store, put("kept1", { title: "one" }), put("gone11", { title: "two" }));
  pushOnce(store, server);
  pullAll(store, server);
  for (const record of ["kept1", "gone11"]) server.refusals.set(record, "forbidden");
  make(store, set("gone11", { title: "two again" }), set("kept1", { title: "one again" }));
  pushOnce(store, server);
  server.refusals.clear();
}

test("[CL64] a change that cannot be sent again keeps no other one back, and is told with what gives it up", async () => {
  refuseTwo();
  const all = store.reads.rejected();
  const stuck = all.find(({ record }) => record === "gone11");
  const changes = {
    ...store.changes,
    retryRejected: (...args: Parameters<typeof store.changes.retryRejected>) =>
      args[0].n === stuck?.n
        ? fail({ kind: "forgotten", id: "gone11" } as const)
        : store.changes.retryRejected(...args),
  };
  const ended = await runOver({ ...store, changes }, ["outbox", "retry", "--all"]);
  expect(ended.code).toBe(1);
  expect(ended.out).toContain("sent again with the next sync: 1 change");
  expect(ended.err).toContain("1 change cannot be sent again");
  expect(ended.err).toContain("tidemark outbox drop gone11");
  expect(store.reads.rejected().map(({ record }) => record)).toEqual(["gone11"]);
});

test("[OP25] what was made and forgotten again before the server took it is no more to be sent", async () => {
  server.refusals.set("brief1", "forbidden");
  make(store, put("brief1", { title: "brief" }), { kind: "forget", id: id("brief1") });
  make(store, put("other1", { title: "other" }));
  server.refusals.set("other1", "forbidden");
  pushOnce(store, server);
  server.refusals.clear();
  expect(store.reads.rejected()).toHaveLength(3);
  expect(await run("outbox", "retry", "--all")).toMatchObject({ code: 0, err: "" });
  expect(store.reads.rejected()).toEqual([]);
  settle(store, server);
  expect(server.state("brief1")).toBeUndefined();
  expect(server.state("other1")).toMatchObject({ registers: { title: { value: "other" } } });
});

test("[OP27] what was written over on this device since is not sent over it, and is told", async () => {
  make(store, put("note1", { title: "one", narrative: "kept" }), put("note2", { title: "one" }));
  settle(store, server);
  for (const record of ["note1", "note2"]) server.refusals.set(record, "quota");
  make(store, set("note1", { title: "two", narrative: "more" }), set("note2", { title: "two" }));
  pushOnce(store, server);
  server.refusals.clear();
  make(store, set("note1", { title: "three" }), set("note2", { title: "three" }));
  settle(store, server);
  const ended = await run("outbox", "retry", "--all");
  expect(ended).toMatchObject({ code: 0, err: "" });
  expect(ended.out).toBe(
    "sent again with the next sync: 1 change; done with, written over or forgotten here since, or there already: 1\n",
  );
  expect(store.reads.rejected()).toEqual([]);
  settle(store, server);
  const valuesOf = (record: string) => {
    const found = server.state(record);
    if (found === undefined || !("registers" in found)) return undefined;
    const values = Object.entries(found.registers).map(([field, { value }]) => [field, value]);
    return Object.fromEntries(values) as unknown;
  };
  expect(valuesOf("note1")).toEqual({ title: "three", narrative: "more" });
  expect(valuesOf("note2")).toEqual({ title: "three" });
});

test("[OP30] what somebody else has written meanwhile is not told as sent again", async () => {
  make(store, put("note1", { title: "one" }));
  settle(store, server);
  server.refusals.set("note1", "quota");
  make(store, set("note1", { title: "two" }));
  settle(store, server);
  server.refusals.clear();
  const other = pairedStore(server, { random: seededRandom("other") });
  settle(other, server);
  make(other, set("note1", { title: "two" }));
  settle(other, server);
  settle(store, server);
  expect(await run("outbox", "retry", "--all")).toMatchObject({
    code: 0,
    out: "sent again with the next sync: 0 changes; done with, written over or forgotten here since, or there already: 1\n",
  });
  expect(store.replicas.replica(namespace)).toMatchObject({ unsent: 0, rejected: 0 });
});

test.each(["stands elsewhere", "came nowhere"])(
  "[OP25] a refused change of a record that %s is kept while its forget waits",
  async (where) => {
    if (where === "stands elsewhere") {
      make(store, put("kept1", { title: "one" }));
      settle(store, server);
    }
    server.refusals.set("kept1", "forbidden");
    make(store, put("kept1", { title: "two" }));
    pushOnce(store, server);
    server.refusals.clear();
    make(store, { kind: "forget", id: id("kept1") });
    const ended = await run("outbox", "retry", "--all");
    expect(ended).toMatchObject({ code: 1, out: "" });
    expect(ended.err).toContain("the record kept1 was forgotten");
    expect(store.reads.rejected().map(({ record }) => record)).toEqual(["kept1"]);
  },
);

test("[OP25] what stands elsewhere is kept though its forget was refused as well", async () => {
  make(store, put("kept1", { title: "one" }));
  settle(store, server);
  server.refusals.set("kept1", "forbidden");
  make(store, set("kept1", { title: "two" }), { kind: "forget", id: id("kept1") });
  pushOnce(store, server);
  server.refusals.clear();
  const [change] = store.reads.rejected();
  if (change === undefined) throw new Error("nothing was refused");
  expect(store.changes.retryRejected(change, nowMs).ok).toBe(false);
  expect(store.reads.rejected()).toHaveLength(2);
});

test("[CL64] `outbox retry --all` lists what was refused once, however many changes there are", async () => {
  refuseMany(20);
  let lists = 0;
  const rejected: typeof store.reads.rejected = (...args) => {
    lists += 1;
    return store.reads.rejected(...args);
  };
  const over = { ...store, reads: { ...store.reads, rejected } };
  expect(await runOver(over, ["outbox", "retry", "--all"])).toMatchObject({
    code: 0,
    out: "sent again with the next sync: 20 changes\n",
  });
  expect([lists, store.reads.rejected()]).toEqual([1, []]);
});

test.each([
  ["retry", "sent again with the next sync: 3 changes", "sending again: 2 of 7 (28 %)"],
  ["drop", "given up: 3 changes", "giving up: 2 of 7 (28 %)"],
])(
  "[CL65] [TM6] `outbox %s --all` tells how far it is, and a person stops it",
  async (verb, text, far) => {
    refuseMany(10);
    let [ms, sleeps] = [nowMs, 0];
    const clock = { nowMs: () => (ms += 500) };
    const stop = new AbortController();
    const sleep = async (): Promise<void> => {
      sleeps += 1;
      if (sleeps > 3) stop.abort();
    };
    const argv = ["outbox", verb, "--all", ...(verb === "drop" ? ["--yes"] : [])];
    const ended = await runOver(store, argv, { clock, sleep, signal: stop.signal });
    expect(ended).toMatchObject({ code: 130, out: `${text}\n` });
    expect(ended.err).toMatch(/^error: stopped before all was done\nhint: what was done stays/mu);
    expect(store.reads.rejected()).toHaveLength(7);
    const whole = await runOver({ ...store }, argv, { clock, sleep: async () => undefined });
    expect(whole.code).toBe(0);
    expect(store.reads.rejected()).toEqual([]);
    expect(whole.err).toContain(far);
  },
);

/** Refuses so many changes, each of a record of its own. */
function refuseMany(count: number): void {
  const names = Array.from({ length: count }, (_, n) => `refused${n}`);
  for (const name of names) server.refusals.set(name, "quota");
  make(store, ...names.map((name) => put(name, { title: name })));
  pushOnce(store, server);
}

test("[CL65] `outbox retry --all` stopped after nothing but what cannot be sent again says that it was stopped", async () => {
  refuseMany(10);
  let [ms, sleeps] = [nowMs, 0];
  const stop = new AbortController();
  const changes = {
    ...store.changes,
    retryRejected: () => fail({ kind: "forgotten", id: "refused0" } as const),
  };
  const ended = await runOver({ ...store, changes }, ["outbox", "retry", "--all"], {
    clock: { nowMs: () => (ms += 500) },
    sleep: async () => {
      sleeps += 1;
      if (sleeps > 3) stop.abort();
    },
    signal: stop.signal,
  });
  expect(ended).toMatchObject({ code: 130, out: "sent again with the next sync: 0 changes\n" });
  expect(ended.err).toMatch(/^error: stopped before all was done$/mu);
});

test("[TM6] in a terminal, the line that tells how far it is goes before what was done is told", async () => {
  refuseMany(10);
  let ms = nowMs;
  const { io, told } = createToldIo();
  const terminal = { ...io, isErrTty: true, width: 80 };
  const ended = await runOver(store, ["outbox", "drop", "--all", "--yes"], {
    clock: { nowMs: () => (ms += 500) },
    sleep: async () => undefined,
    io: terminal as unknown as CliDeps["io"],
  });
  expect(ended.code).toBe(0);
  expect(told.err).toContain("giving up: ");
  expect(told.err.endsWith(clearLine)).toBe(true);
});
