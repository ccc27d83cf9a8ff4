import type { NamespaceId } from "@tidemark/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../../../test/postgres/database.ts";
import { systemRandom } from "../../platform/random.ts";
import { systemTimers } from "../../platform/timers.ts";
import { StoreUnavailable } from "../store-unavailable.ts";
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

test("[PG3] a statement of its own sees no namespace, whatever its connection saw before", async () => {
  const door = openDoor({ ...deps, url: database.url, poolSize: 1 });
  try {
    const namespace = "nsp_before" as NamespaceId;
    await door.withNamespace(namespace, "read", async (tx) => await tx`select 1`);
    const [seen] = await door.readAccounts(
      async (sql) =>
        await sql<{ namespace: string }[]>`
        select current_setting('tidemark.namespace_id', true) as namespace`,
    );
    expect(seen).toEqual({ namespace: "" });
  } finally {
    await door.close();
  }
});

test("[PG7] where a role is to be taken, such a statement takes it as well", async () => {
  const door = openDoor({ ...deps, url: database.url, role: "tidemark_app" });
  try {
    const roles = await door.readAccounts(
      async (sql) => await sql<{ role: string }[]>`select current_user as role`,
    );
    expect(roles[0]).toEqual({ role: "tidemark_app" });
  } finally {
    await door.close();
  }
});

test("[PG8] a statement that is not answered in time is told as such, and holds up no other", async () => {
  const waits: (() => void)[] = [];
  const timers = {
    ...systemTimers,
    every: (_ms: number, tick: () => void) => {
      waits.push(tick);
      return () => {};
    },
  };
  const door = openDoor({ ...deps, url: database.url, timers, poolSize: 2 });
  try {
    const late = door.readAccounts(async (sql) => await sql`select pg_sleep(1)`);
    waits[0]?.();
    await expect(late).rejects.toThrow(StoreUnavailable);
    expect(await door.ping()).toBe(true);
  } finally {
    await door.close();
  }
});

test("[PG8] a statement whose connection is ended is told as such, and the next has another", async () => {
  const door = openDoor({ ...deps, url: database.url, poolSize: 1 });
  try {
    const ended = door.readAccounts(
      async (sql) => await sql`select pg_terminate_backend(pg_backend_pid())`,
    );
    await expect(ended).rejects.toThrow(StoreUnavailable);
    const [row] = await door.readAccounts(
      async (sql) => await sql<{ one: number }[]>`select 1 as one`,
    );
    expect(row).toEqual({ one: 1 });
  } finally {
    await door.close();
  }
});
