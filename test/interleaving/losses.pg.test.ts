import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  chainNext,
  type Base,
  type RecordId,
  type Result,
} from "../../packages/protocol/src/index.ts";
import type { PushAnswer } from "../../packages/protocol/src/wire/index.ts";
import { bucket, digests } from "../../apps/server/src/domain/digests.ts";
import { heal } from "../../apps/server/src/domain/heal.ts";
import { pull } from "../../apps/server/src/domain/pull.ts";
import { createPush, type Push, type PushRequest } from "../../apps/server/src/domain/push.ts";
import { applyRetention } from "../../apps/server/src/domain/retention.ts";
import { revisions } from "../../apps/server/src/domain/revisions.ts";
import type { SyncError } from "../../apps/server/src/domain/sync-error.ts";
import { lineOf, live } from "../../apps/server/src/domain/testing/states.ts";
import {
  createWorld,
  entryOf,
  seededRandom,
  sha256,
  valuesOf,
  type World,
} from "../../apps/server/src/domain/testing/world.ts";
import { openTable, type Table } from "./table.ts";
import { seededNumbers, testSeed, withSeed } from "./walk.ts";

let table: Table;
beforeAll(async () => {
  table = await openTable();
});
afterAll(() => table.close());

/** What retries met. */
interface Tally {
  unavailable: number;
  /** Pushes that were taken though their answer was lost. */
  unheard: number;
}

/** Sends a push until it is known to be taken, as a client does: always the same bytes. */
async function pushUntilTaken(push: Push, request: PushRequest, tally: Tally): Promise<void> {
  const { header, lines } = request;
  const chain = lines.reduce((sum, line) => chainNext(sha256, sum, line), header.chain);
  for (let isRepeat = false; ; isRepeat = true) {
    const answer: Result<PushAnswer, SyncError> = await push(request);
    if (answer.ok) {
      expect(answer.value.position).toMatchObject({ acked: header.after + lines.length, chain });
      return;
    }
    const { error } = answer;
    if (error.kind === "writer-position") {
      expect(isRepeat).toBe(true);
      expect(error.position).toMatchObject({ acked: header.after + lines.length, chain });
      tally.unheard += 1;
      return;
    }
    expect(error.kind).toBe("unavailable");
    tally.unavailable += 1;
    await sleep(2);
  }
}

/** Pushes one record of its own and one field of a shared record, again and again. */
async function pushAll(
  world: World,
  options: { readonly push: Push; readonly name: string; readonly pushes: number },
  tally: Tally,
): Promise<void> {
  const { push, name, pushes } = options;
  const writer = world.writer(name);
  const { namespace, owner: device } = world;
  let base: Base = {};
  for (let round = 0; round < pushes; round += 1) {
    const header = { writer: writer.id, after: writer.acked, chain: writer.ackedChain };
    // A namespace's lamport never falls behind what it took, so one's own count is always near it.
    const lines = [
      writer.put(`${name}-${round}`, { round }),
      writer.set("hot", { [name]: round }, base),
    ];
    base = { [name]: entryOf(writer.lamport, writer.id, round) };
    await pushUntilTaken(push, { namespace, device, header, lines }, tally);
    writer.acked += lines.length;
    for (const line of lines) writer.ackedChain = chainNext(sha256, writer.ackedChain, line);
  }
}

/** Pulls page after page until told to stop and nothing is left; gives the seq of each record. */
async function pullAll(
  world: World,
  options: { readonly limit: number; readonly isOver: () => boolean },
  tally: Tally,
): Promise<ReadonlyMap<string, number>> {
  const { deps, namespace, owner: device } = world;
  const seen = new Map<string, number>();
  let after = "";
  for (;;) {
    const isLast = options.isOver();
    const page = await pull(deps, { namespace, device, after, limit: options.limit });
    if (!page.ok) {
      expect(page.error.kind).toBe("unavailable");
      tally.unavailable += 1;
      await sleep(2);
      continue;
    }
    for (const line of page.value.lines) {
      const { id, seq } = JSON.parse(line) as { readonly id: string; readonly seq: number };
      expect(seq).toBeGreaterThan(seen.get(id) ?? 0);
      seen.set(id, seq);
    }
    after = page.value.tail.cursor;
    if (isLast && !page.value.tail.more) return seen;
  }
}

test("[PG8, PS11, PL1] connections ended at random lose nothing acknowledged and double nothing", () => {
  const seed = testSeed(11);
  return withSeed(seed, () => loseConnections(seededNumbers(seed)));
});

async function loseConnections(next: () => number): Promise<void> {
  const world = await createWorld(await table.stores.open({ nowMs: () => 1 }));
  const founder = world.writer("w0");
  await founder.send(founder.put("hot", { title: "start" }));
  const second = (await table.seat({ poolSize: 3 })).store;
  const servers = [
    world.push,
    createPush({ ...world.deps, store: second, random: seededRandom("2") }),
  ];
  const pushes = 15;
  const killsMax = 60;
  const names = ["wa", "wb", "wc", "wd", "we", "wf"];
  const tally: Tally = { unavailable: 0, unheard: 0 };
  const state = { isOver: false };
  let killed = 0;
  const kill = async (): Promise<void> => {
    while (!state.isOver && killed < killsMax) {
      await sleep(next() * 30);
      const pids = await table.stores.admin<{ readonly pid: number }[]>`
        select pid from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() order by backend_start`;
      const victim = pids[Math.floor(next() * pids.length)];
      if (victim === undefined) continue;
      await table.stores.admin`select pg_terminate_backend(${victim.pid})`;
      killed += 1;
    }
  };
  const killing = kill();
  const pulling = [3, 50].map((limit) =>
    pullAll(world, { limit, isOver: () => state.isOver }, tally),
  );
  try {
    await Promise.all(
      names.map((name, index) =>
        pushAll(world, { name, pushes, push: servers[index % 2] ?? world.push }, tally),
      ),
    );
  } finally {
    state.isOver = true;
  }
  await killing;
  const replicas = await Promise.all(pulling);
  const expected = names.flatMap((name) =>
    Array.from({ length: pushes }, (_, round) => `${name}-${round}`),
  );
  const { states, seqs, tail } = await world.pullAll();
  expect([...states.keys()].toSorted()).toEqual(["hot", ...expected].toSorted());
  for (const seen of replicas) {
    expect([...seen.keys()].toSorted()).toEqual(["hot", ...expected].toSorted());
    expect(Math.max(...seen.values())).toBe(tail.head);
  }
  // Each record of a push has one seq; the shared one has one for each group that was committed.
  expect(tail.head).toBeGreaterThan(1 + names.length * pushes);
  expect(tail.head).toBeLessThanOrEqual(1 + names.length * pushes * 2);
  // Each edit replaced the one before it, once: nothing was lost, and nothing applied twice.
  const past = await revisions(world.deps, {
    namespace: world.namespace,
    device: world.owner,
    record: "hot" as RecordId,
  });
  if (!past.ok) throw new Error(past.error.kind);
  const edits = past.value.revisions.map(({ field, value }) => `${field} ${String(value)}`);
  const replaced = names.flatMap((name) =>
    Array.from({ length: pushes - 1 }, (_, round) => `${name} ${round}`),
  );
  expect(edits.toSorted()).toEqual(replaced.toSorted());
  for (const name of names) {
    const own = await world.pullAll({ writer: world.writer(name).id });
    expect(own.tail.position).toMatchObject({ acked: pushes * 2 });
    expect(valuesOf(own.states.get("hot" as RecordId))?.[name]).toBe(pushes - 1);
  }
  expect(new Set(seqs).size).toBe(seqs.length);
  expect(killed).toBeGreaterThan(10);
  expect(tally.unavailable).toBeGreaterThan(5);
}

test("[PG8] all work ends on a pool of one connection, also when it is lost", async () => {
  const { store } = await table.seat({ poolSize: 1 });
  await table.stores.open({ nowMs: () => 1 });
  const world = await createWorld(store);
  const { deps, namespace, owner: device } = world;
  const other = await world.namespaceOf("other");
  const who = { namespace, device };
  const ends = { ok: 0, unavailable: 0 };
  const round = async (name: string): Promise<void> => {
    const [here, there] = [
      world.writer(`${name}-here`),
      world.writer(`${name}-there`, device, other),
    ];
    const state = live(`h-${name}`, { title: [name, 2, here.id] });
    const header = { writer: undefined, lamport: 0, want: [] };
    const work: readonly Promise<{ readonly ok: boolean }>[] = [
      here.send(here.put(`r-${name}`, { name }), here.forget(`h-${name}`)),
      there.send(there.put(`r-${name}`, { name })),
      pull(deps, who),
      pull(deps, { ...who, namespace: other }),
      heal(deps, { ...who, header, lines: [lineOf(state)] }),
      digests(deps, who),
      bucket(deps, { ...who, bucket: 3 }),
      store.accounts.members(who),
    ];
    const settled = await Promise.allSettled([
      ...work,
      applyRetention({ store }, { nowMs: 1 }).then(() => ({ ok: true })),
    ]);
    for (const each of settled) {
      if (each.status === "rejected") {
        expect((each.reason as Error).name).toBe("StoreUnavailable");
        ends.unavailable += 1;
      } else if (each.value.ok) ends.ok += 1;
      else {
        expect(each.value).toMatchObject({ error: { kind: "unavailable" } });
        ends.unavailable += 1;
      }
    }
  };
  await Promise.all(["a", "b", "c"].map(round));
  expect(ends).toEqual({ ok: 27, unavailable: 0 });
  const lossy = Promise.all(["d", "e", "f"].map(round));
  await table.stores.cutConnections();
  await lossy;
  expect(ends.ok + ends.unavailable).toBe(54);
  expect(ends.unavailable).toBeGreaterThan(0);
  await round("g");
  expect(ends.ok).toBeGreaterThanOrEqual(36);
});
