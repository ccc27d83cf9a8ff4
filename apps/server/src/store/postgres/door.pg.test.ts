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

/** How many statements a connection has prepared once a transaction ran on it. */
async function preparedWith(parameters: string): Promise<number> {
  const url = new URL(database.url);
  url.search = parameters;
  const deps = { clock: { nowMs: () => 1 }, random: systemRandom, timers: systemTimers };
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
