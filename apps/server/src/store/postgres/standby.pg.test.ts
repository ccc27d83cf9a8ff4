import postgres from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../../../test/postgres/database.ts";
import { systemRandom } from "../../platform/random.ts";
import { StoreUnavailable } from "../store-unavailable.ts";
import { openDoor, type Door } from "./door.ts";

let database: TestDatabase;
let admin: postgres.Sql;
let door: Door;
let beat = (): void => {};
beforeAll(async () => {
  database = await createTestDatabase();
  admin = postgres(database.url, { max: 1, onnotice: () => {} });
  await admin`create table written (value integer)`;
});
afterAll(async () => {
  await admin.end();
  await database.drop();
});
beforeEach(() => {
  const timers = {
    sleep: async () => {},
    every: (_ms: number, tick: () => void) => {
      beat = tick;
      return () => {};
    },
  };
  const clock = { nowMs: () => 1 };
  door = openDoor({ clock, random: systemRandom, timers, url: database.url, poolSize: 2 });
});
afterEach(() => door.close());

/** Sessions that begin from now on are those of a standby, or of a primary; others stay what they are. */
async function lead(to: "standby" | "primary"): Promise<void> {
  const name = new URL(database.url).pathname.slice(1);
  const isReadOnly = to === "standby" ? "on" : "off";
  await admin.unsafe(`alter database ${name} set default_transaction_read_only = ${isReadOnly}`);
}

async function write(): Promise<void> {
  await door.withAccounts(async (tx) => {
    await tx`insert into written values (1)`;
  });
}

/** The database's process behind a connection of the door. */
async function backend(): Promise<number> {
  return await door.withAccounts(async (tx) => {
    const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
    return row?.pid ?? -1;
  });
}

test("[PG51] connections that led to a standby are replaced, so that writes go on once the name leads to the primary", async () => {
  await lead("standby");
  await expect(write()).rejects.toThrow(StoreUnavailable);
  await lead("primary");
  await expect(write()).resolves.toBeUndefined();
});

test("[PG51] a standby that stays one is not connected to anew for every write, but again after a while", async () => {
  await lead("standby");
  await expect(write()).rejects.toThrow(StoreUnavailable);
  const before = await backend();
  await expect(write()).rejects.toThrow(StoreUnavailable);
  expect(await backend()).toBe(before);
  await lead("primary");
  await expect(write()).rejects.toThrow(StoreUnavailable);
  beat();
  await expect(write()).rejects.toThrow(StoreUnavailable);
  await expect(write()).resolves.toBeUndefined();
  expect(await backend()).not.toBe(before);
});

test("[PG51] what reads from a standby meanwhile is not cut off", async () => {
  await lead("standby");
  const rows = await door.withAccounts(async (tx) => {
    await tx`select 1`;
    await expect(write()).rejects.toThrow(StoreUnavailable);
    return await tx`select 1 as one`;
  });
  expect(rows).toHaveLength(1);
  await lead("primary");
});
