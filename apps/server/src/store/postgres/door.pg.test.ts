import type { NamespaceId } from "@tidemark/protocol";
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
