import type { NamespaceId } from "@tidemark/protocol";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../../../test/postgres/database.ts";
import { systemRandom } from "../../platform/random.ts";
import { systemTimers } from "../../platform/timers.ts";
import { openDoor } from "./door.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const deps = { clock: { nowMs: () => 1 }, random: systemRandom, timers: systemTimers };

/** How many statements a connection has prepared once a transaction ran on it. */
async function preparedWith(parameters: string): Promise<number> {
  const url = new URL(database.url);
  url.search = parameters;
  const door = openDoor({ ...deps, url: url.href });
  try {
    return await door.withAccounts(async (tx) => {
      await tx`select ${"one"}::text`;
      const [row] = await tx<{ count: number }[]>`
        select count(*) as count from pg_prepared_statements`;
      return row?.count ?? -1;
    });
  } finally {
    await door.close();
  }
}

test("[PG34] a connection string may turn prepared statements off, for poolers", async () => {
  expect(await preparedWith("")).toBeGreaterThan(0);
  expect(await preparedWith("prepare=false")).toBe(0);
});

test("[PG3] where a transaction cannot be set up, nothing of its work is done and the cause is told", async () => {
  const door = openDoor({ ...deps, url: database.url, role: "tidemark_nobody" });
  const answers: unknown[] = [];
  try {
    const work = door.withAccounts(async (tx) => {
      answers.push(await tx`select 1 as one`);
      answers.push(await tx`select 2 as two`);
    });
    await expect(work).rejects.toThrow(/role "tidemark_nobody" does not exist/);
    expect(answers).toEqual([]);
  } finally {
    await door.close();
  }
});

test("[PG3] the work of a transaction sees what was set up before it", async () => {
  const door = openDoor({ ...deps, url: database.url });
  try {
    const seen = await door.withNamespace("nsp_seen" as NamespaceId, "read", async (tx) => {
      const [row] = await tx<{ namespace: string; limit: string }[]>`
        select current_setting('tidemark.namespace_id') as namespace,
          current_setting('statement_timeout') as limit`;
      return { ...row };
    });
    expect(seen).toEqual({ namespace: "nsp_seen", limit: "10s" });
  } finally {
    await door.close();
  }
});

test("[PG38] however many ask whether the database answers, no transaction is left open behind them", async () => {
  const door = openDoor({ ...deps, url: database.url, poolSize: 2 });
  const admin = postgres(database.url, { max: 1 });
  let release = (): void => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  try {
    await Promise.all([door.ping(), door.ping()]);
    const held = door.withAccounts(async (tx) => {
      await tx`select 1`;
      await until;
    });
    const pings = Array.from({ length: 100 }, async () => await door.ping());
    // A ping is sent a few turns after it is asked for; the transaction has to come behind all.
    for (let turn = 0; turn < 40; turn += 1) await Promise.resolve();
    const read = door.withNamespace("nsp_behind" as NamespaceId, "read", async (tx) => {
      const [row] = await tx<{ one: number }[]>`select 1 as one`;
      return row?.one;
    });
    expect(await read).toBe(1);
    expect(new Set(await Promise.all(pings))).toEqual(new Set([true]));
    const open = await admin<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'`;
    expect(open[0]).toEqual({ count: 1 });
    release();
    await held;
  } finally {
    release();
    await Promise.all([door.close(), admin.end()]);
  }
});
