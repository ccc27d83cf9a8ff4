import type { NamespaceId } from "@tidemark/protocol";
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
  expect(results.map(({ status }) => status)).toEqual(begun.map(() => "rejected"));
  for (const result of results) {
    if (result.status === "rejected") expect(result.reason).toBeInstanceOf(StoreUnavailable);
  }
  await expect(
    door.withAccounts(async (tx) => {
      await one(tx);
      line.silence();
    }),
  ).rejects.toThrow(StoreUnavailable);
  expect(await door.withAccounts(one)).toBe(1);
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
