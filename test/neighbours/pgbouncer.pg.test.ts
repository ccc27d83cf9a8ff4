import type { NamespaceId } from "../../packages/protocol/src/index.ts";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { checkDatabase } from "../../apps/server/src/cli/database-check.ts";
import { openNotices } from "../../apps/server/src/cli/open-notices.ts";
import { openStore } from "../../apps/server/src/cli/open-database.ts";
import { createPush } from "../../apps/server/src/domain/push.ts";
import { createWorld, seededRandom } from "../../apps/server/src/domain/testing/world.ts";
import { createHeadNotices } from "../../apps/server/src/platform/head-notices.ts";
import { systemRandom } from "../../apps/server/src/platform/random.ts";
import { systemTimers } from "../../apps/server/src/platform/timers.ts";
import { storeContract } from "../../apps/server/src/store/contract.ts";
import { openDoor, type Door } from "../../apps/server/src/store/postgres/door.ts";
import { createPostgresStore } from "../../apps/server/src/store/postgres/postgres-store.ts";
import {
  createTestStores,
  type TestStores,
} from "../../apps/server/src/store/postgres/testing/test-store.ts";
import { whySkipped } from "./neighbour.ts";
import { startPgBouncer, type PgBouncer } from "./pgbouncer.ts";

const isSkipped = whySkipped("pgbouncer") !== undefined;
const role = "tidemark_app";
const deps = { clock: { nowMs: () => 1 }, random: systemRandom, timers: systemTimers };

/** Three connections for what may wait for one another, one where two clients have to share it. */
let few: PgBouncer;
let one: PgBouncer;
let stores: TestStores;
beforeAll(async () => {
  if (isSkipped) return;
  few = await startPgBouncer(inject("postgresUrl"), 3);
  one = await startPgBouncer(inject("postgresUrl"), 1);
  stores = await createTestStores((url) => ({ url: few.through(url), role, prepare: false }));
});
afterAll(async () => {
  await stores?.drop();
  await one?.stop();
  await few?.stop();
});

describe.skipIf(isSkipped)("through PgBouncer, transaction pooling", () => {
  storeContract(
    "postgres behind PgBouncer",
    (clock) => stores.open(clock),
    (count) => stores.own(count),
  );

  test("[PG37] the server notices the pooler, and prepares no statements by itself", async () => {
    const clock = { nowMs: () => Date.now() };
    const check = async (url: string) => await checkDatabase({ ...deps, clock }, url);
    expect(await check(stores.url)).toEqual({ isPooled: false, encoding: "UTF8" });
    expect(await check(one.through(stores.url))).toEqual({ isPooled: true, encoding: "UTF8" });
    for (const [parameters, prepared] of [
      ["", "off"],
      ["?prepare=false", "as DATABASE_URL says"],
    ]) {
      const told: unknown[] = [];
      const log = { info: (...line: unknown[]) => void told.push(line), warn: () => {} };
      const url = `${few.through(stores.url)}${parameters}`;
      const store = await openStore(
        { ...deps, log },
        { url, ownerUrl: url, isPooled: true, encoding: "UTF8" },
      );
      try {
        // More at once than there are connections, so that each meets several of them.
        const asked = Array.from({ length: 60 }, () => store.namespaceIds());
        expect(new Set((await Promise.all(asked)).map((ids) => ids.length)).size).toBe(1);
      } finally {
        await store.close();
      }
      expect(told).toEqual([["database-pooled", { prepared }]]);
    }
  });

  test("[PG37] statements that are prepared all the same fail behind a pooler that loses them", async () => {
    const door = openDoor({ ...deps, url: few.through(stores.url), role, prepare: true });
    const asking = async (): Promise<unknown> =>
      await door.withAccounts(async (tx) => await tx`select ${"a"}::text`);
    try {
      const rounds = Array.from({ length: 60 }, asking);
      const ended = await Promise.allSettled(rounds);
      const failed = ended.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
      // PgBouncer from 1.21 on keeps them, where max_prepared_statements is not 0.
      for (const reason of failed) expect(reason).toMatchObject({ code: "26000" });
    } finally {
      await door.close();
    }
  });

  test("[PG37] pushes of many members and two servers at once are each in the feed once", async () => {
    const world = await createWorld(await stores.open({ nowMs: () => 1 }));
    const second = createPostgresStore({
      ...deps,
      url: few.through(stores.url),
      role,
      prepare: false,
    });
    try {
      const members = await Promise.all(
        Array.from({ length: 8 }, async (_, at) => await world.admit(`m${at}`, "writer")),
      );
      const pushes = [
        world.push,
        createPush({ ...world.deps, store: second, random: seededRandom("second") }),
      ];
      const pushAll = async (at: number): Promise<void> => {
        const device = members[at % members.length]?.device ?? world.owner;
        const writer = world.writer(`w${at}`, device);
        const push = pushes[at % 2] ?? world.push;
        for (let round = 0; round < 10; round += 1) {
          const header = { writer: writer.id, after: writer.acked, chain: writer.ackedChain };
          const lines = [writer.put(`r${at}-${round}`, { round })];
          const answer = await push({ namespace: world.namespace, device, header, lines });
          if (!answer.ok) throw new Error(answer.error.kind);
          writer.acked = answer.value.position.acked;
          writer.ackedChain = answer.value.position.chain;
          writer.lamport = Math.max(writer.lamport, answer.value.lamport);
        }
      };
      await Promise.all(Array.from({ length: 24 }, async (_, at) => await pushAll(at)));
      const { states, seqs } = await world.pullAll();
      expect(states.size).toBe(240);
      expect(new Set(seqs).size).toBe(240);
    } finally {
      await second.close();
    }
  });
});

describe.skipIf(isSkipped)("two clients of one connection of PgBouncer", () => {
  let doors: readonly Door[];
  beforeAll(() => {
    const url = one.through(stores.url);
    doors = [1, 2].map(() => openDoor({ ...deps, url, role, prepare: false, poolSize: 1 }));
  });
  afterAll(async () => {
    await Promise.all(doors.map((door) => door.close()));
  });

  test("[PG3] neither namespace nor role of one client reaches the other, however its request ended (abuse 102)", async () => {
    const world = await createWorld(await stores.open({ nowMs: () => 1 }));
    const a = world.namespace;
    const b = await world.namespaceOf("side");
    const writerA = world.writer("wa");
    await writerA.send(writerA.put("ra", { title: "of a" }));
    const writerB = world.writer("wb", world.owner, b);
    await writerB.send(writerB.put("rb", { title: "of b" }));
    const [first, second] = doors as [Door, Door];
    const idsIn = async (namespace: NamespaceId): Promise<readonly string[]> =>
      await second.withNamespace(namespace, "read", async (tx) => {
        const rows = await tx<{ readonly id: string }[]>`select id from tidemark.records`;
        return rows.map(({ id }) => id);
      });
    const pids = new Set<number>();
    const notePid = async (door: Door): Promise<void> => {
      const [row] = await door.withAccounts(
        async (tx) => await tx<{ readonly pid: number }[]>`select pg_backend_pid() as pid`,
      );
      pids.add(row?.pid ?? 0);
    };
    const bare = postgres(one.through(stores.url), { max: 1, prepare: false, fetch_types: false });
    const ends: readonly Parameters<Door["withNamespace"]>[2][] = [
      async (tx) => await tx`select 1`,
      async (tx) => await tx`select ${"x"}::text::int`,
      async (tx) => {
        await tx`select set_config('statement_timeout', '20', true)`;
        await tx`select pg_sleep(2)`;
      },
      async () => await Promise.reject(new Error("the client went away")),
    ];
    try {
      for (const end of ends) {
        await first.withNamespace(a, "write", end).catch(() => {});
        const [left] = await bare`
          select nullif(current_setting('tidemark.namespace_id', true), '') as namespace,
            current_user = session_user as "isItself",
            current_setting('statement_timeout') as "statementTimeout",
            current_setting('lock_timeout') as "lockTimeout"`;
        expect(left).toEqual({
          namespace: null,
          isItself: true,
          statementTimeout: "0",
          lockTimeout: "0",
        });
        expect(await idsIn(b)).toEqual(["rb"]);
        await notePid(first);
        await notePid(second);
      }
      const held = await bare`
        select 1 from pg_locks where locktype = 'advisory' and database = (
          select oid from pg_database where datname = current_database())`;
      expect(held).toHaveLength(0);
    } finally {
      await bare.end();
    }
    // Else nothing of this was about one connection.
    expect(pids.size).toBe(1);
  });

  test("[OPS31] where LISTEN hears nothing the server says so, and asks for heads instead", async () => {
    const warned: unknown[] = [];
    const log = { warn: (...line: unknown[]) => void warned.push(line) };
    const direct = createHeadNotices(stores.url, { timers: systemTimers });
    expect(await direct.isHeard(systemTimers, 10_000)).toBe(true);
    await direct.close();
    expect(await openNotices({ timers: systemTimers, log }, "poll", stores.url)).toBeUndefined();
    expect(warned).toEqual([]);
    const heard = await openNotices({ timers: systemTimers, log }, "listen", stores.url);
    expect(heard).toBeDefined();
    await heard?.close();
    expect(warned).toEqual([]);
    // The wait is what is tested; the notice would have come back by now.
    const timers = { ...systemTimers, sleep: async () => await systemTimers.sleep(500) };
    const url = one.through(stores.url);
    expect(await openNotices({ timers, log }, "listen", url)).toBeUndefined();
    expect(warned).toEqual([
      ["listen-not-heard", expect.objectContaining({ fix: expect.stringContaining("poll") })],
    ]);
  });
});
