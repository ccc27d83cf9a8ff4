import type { NamespaceId } from "@tidemark/protocol";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../../../test/postgres/database.ts";
import { openSilentLine, type SilentLine } from "../../../../../test/postgres/silent-line.ts";
import { systemRandom } from "../../platform/random.ts";
import { systemTimers } from "../../platform/timers.ts";
import { StoreUnavailable } from "../store-unavailable.ts";
import { openDoor, type Door, type Transaction } from "./door.ts";

const silentMs = 400;
const poolSize = 3;
const namespace = "nsp_silent" as NamespaceId;

let database: TestDatabase;
let line: SilentLine;
let door: Door;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  line = await openSilentLine(database.url);
  door = openDoor({
    clock: { nowMs: () => 1 },
    random: systemRandom,
    timers: systemTimers,
    url: line.url,
    poolSize,
    silentMs,
  });
});
afterEach(async () => {
  await line.close();
  await door.close();
});

async function one(tx: Transaction): Promise<number | undefined> {
  const [row] = await tx<{ one: number }[]>`select 1 as one`;
  return row?.one;
}

async function setValue(by: Door, value: string): Promise<void> {
  await by.withAccounts(async (tx) => {
    await tx`create table if not exists one_value (value text)`;
    await tx`delete from one_value`;
    await tx`insert into one_value values (${value})`;
  });
}

/** As many connections as the pool has, each of which has answered. */
async function warmUp(): Promise<void> {
  await Promise.all(
    Array.from({ length: poolSize }, async () => {
      await door.withAccounts(async (tx) => {
        await tx`select pg_sleep(0.1)`;
      });
    }),
  );
  expect(line.count).toBe(poolSize);
}

test("[PG39] a database that falls silent in a transaction is unavailable, and the next one has another connection", async () => {
  await warmUp();
  const sent: string[] = [];
  const work = door.withNamespace(namespace, "write", async (tx) => {
    await one(tx);
    line.silence();
    sent.push("before");
    await one(tx).catch(() => undefined);
    // What has lost its connection sends nothing more, wherever that would go.
    await one(tx);
    sent.push("after");
  });
  await expect(work).rejects.toThrow(StoreUnavailable);
  expect(sent).toEqual(["before"]);
  expect(await door.withAccounts(one)).toBe(1);
  expect(await door.ping()).toBe(true);
});

test("[PG39] a transaction that begins on a connection that has fallen silent is unavailable, and so is a commit", async () => {
  await warmUp();
  line.silence();
  const begun = Array.from({ length: poolSize * 2 }, async () => await door.withAccounts(one));
  const results = await Promise.allSettled(begun);
  for (const result of results.slice(0, poolSize)) {
    expect(result).toMatchObject({ reason: expect.any(StoreUnavailable) as unknown });
  }
  // Who waited for a turn meanwhile has a connection of the next ones.
  const others = results.slice(poolSize);
  expect(others).toEqual(others.map(() => ({ status: "fulfilled", value: 1 })));
  await expect(
    door.withAccounts(async (tx) => {
      await one(tx);
      line.silence();
    }),
  ).rejects.toThrow(StoreUnavailable);
  expect(await door.withAccounts(one)).toBe(1);
});

test("[PG39] what was given up commits nothing when its connection speaks again, over what was written since", async () => {
  await setValue(door, "first");
  await warmUp();
  const givenUp = door.withAccounts(async (tx) => {
    await one(tx);
    line.silence();
    await tx`update one_value set value = 'given up'`;
  });
  await expect(givenUp).rejects.toThrow(StoreUnavailable);
  await setValue(door, "later");
  line.resume();
  await systemTimers.sleep(500);
  const value = await door.withAccounts(async (tx) => {
    const [row] = await tx<{ value: string }[]>`select value from one_value`;
    return row?.value;
  });
  expect(value).toBe("later");
});

test("[PG39, PG8] connections that are lost again and again under a queue leave none behind", async () => {
  const admin = postgres(database.url, { max: 1, onnotice: () => undefined });
  try {
    for (let round = 0; round < 4; round += 1) {
      // Listened to from the start: one may be lost before the next line has its answer.
      const queue = Promise.allSettled(
        Array.from({ length: 5 * poolSize }, async () => {
          await door.withAccounts(async (tx) => {
            await tx`select pg_sleep(0.05)`;
          });
        }),
      );
      await systemTimers.sleep(60);
      await admin`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() limit 1`;
      const results = await queue;
      // Those that had a connection may have lost it; who waited has not.
      expect(results.filter(({ status }) => status === "rejected").length).toBeLessThan(poolSize);
    }
    await expect
      .poll(async () => {
        const [row] = await admin<{ count: number }[]>`
          select count(*)::int as count from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`;
        return row?.count;
      })
      .toBeLessThanOrEqual(poolSize);
  } finally {
    await admin.end();
  }
});

test("[PG39] nothing waits for ever for a store that was closed, and nothing begins in it", async () => {
  const patient = openDoor({
    clock: { nowMs: () => 1 },
    random: systemRandom,
    timers: systemTimers,
    url: line.url,
    poolSize: 1,
  });
  const held = patient.withAccounts(async (tx) => {
    await one(tx);
    line.silence();
    await one(tx);
  });
  const waiting = patient.withAccounts(one);
  const settled = Promise.allSettled([held, waiting]);
  await expect.poll(() => line.count).toBe(0);
  await patient.close();
  expect((await settled).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await expect(patient.withAccounts(one)).rejects.toThrow(StoreUnavailable);
});

test("[PG39] one silent connection is given up while the others go on", async () => {
  await warmUp();
  line.silence(1);
  const results = await Promise.allSettled(
    Array.from({ length: 60 }, async (_, at) => {
      await systemTimers.sleep(at * 20);
      return await door.withAccounts(one);
    }),
  );
  const lost = results.filter(({ status }) => status === "rejected");
  expect(lost).toHaveLength(1);
  expect(lost[0]).toMatchObject({ reason: expect.any(StoreUnavailable) as unknown });
});

test("[PG39] who only waits for a turn, or for a long statement, is not taken for silent", async () => {
  const results = await Promise.all(
    Array.from(
      { length: poolSize * 4 },
      async () =>
        await door.withAccounts(async (tx) => {
          await tx`select pg_sleep(${(silentMs / 1_000) * 0.6})`;
          return await one(tx);
        }),
    ),
  );
  expect(results).toEqual(results.map(() => 1));
});

test("[PG39] the look whether the database answers ends where it does not", async () => {
  await warmUp();
  line.isDead = true;
  line.silence();
  expect(await door.ping()).toBe(false);
  expect(await door.ping()).toBe(false);
  line.isDead = false;
  await expect.poll(async () => await door.ping(), { timeout: 30_000 }).toBe(true);
});
