import { beforeEach, expect, test } from "vitest";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import type { Store } from "../store/port.ts";
import { createNonces, type Nonces } from "./nonces.ts";
import { createAuthDeps, createTestClock, type TestClock } from "./testing/auth-deps.ts";

let clock: TestClock;
let database: Store;
/** How often a replica asked the database for the key. */
let reads: number;

beforeEach(async () => {
  clock = createTestClock();
  database = await emptyDatabase();
  reads = 0;
});

async function emptyDatabase(): Promise<Store> {
  const store = createMemoryStore({ clock });
  await store.accounts.server(() => "srv_test");
  return store;
}

function unreadable(store: Store): Store {
  const nonceKey = () => Promise.reject(new Error("down"));
  return { ...store, accounts: { ...store.accounts, nonceKey } };
}

function startReplica(name: string): Nonces {
  const accounts = {
    nonceKey: async (make: () => string) => {
      reads += 1;
      return await database.accounts.nonceKey(make);
    },
  };
  return createNonces({ ...createAuthDeps(clock, name), accounts });
}

test("[AU17] replicas come to one key where the database was set back to before it had one", async () => {
  const stayed = startReplica("stayed");
  const before = await stayed.give();
  database = await emptyDatabase();
  const came = startReplica("came");
  clock.advance(1_000);
  const given = await came.give();
  expect(given).not.toBe(await stayed.give());
  expect(await stayed.isFresh(given)).toBe(true);
  expect(await came.isFresh(await stayed.give())).toBe(true);
  expect(await stayed.isFresh(before)).toBe(false);
});

test("[AU17] the one that gave by the older key is heard as soon as it has met the other's", async () => {
  const stayed = startReplica("stayed");
  await stayed.give();
  database = await emptyDatabase();
  const came = startReplica("came");
  await came.give();
  clock.advance(1_000);
  expect(await came.isFresh(await stayed.give())).toBe(false);
  const requests = [came.give(), came.give(), came.give()].map(async (nonce) =>
    stayed.isFresh(await nonce),
  );
  expect(await Promise.all(requests)).toEqual([true, true, true]);
});

test("[AU17] made-up nonces have the key read once a second at most", async () => {
  const replica = startReplica("one");
  const stranger = createNonces({
    ...createAuthDeps(clock, "stranger"),
    accounts: (await emptyDatabase()).accounts,
  });
  expect(await replica.isFresh(await replica.give())).toBe(true);
  expect(reads).toBe(1);
  for (let second = 1; second <= 3; second += 1) {
    clock.advance(1_000);
    for (let time = 0; time < 5; time += 1) {
      expect(await replica.isFresh(await stranger.give())).toBe(false);
    }
    expect(reads).toBe(1 + second);
  }
  expect(await replica.isFresh(await replica.give())).toBe(true);
});

test("[AU17] a replica's own nonces have no key read", async () => {
  const replica = startReplica("one");
  for (let second = 0; second < 3; second += 1) {
    expect(await replica.isFresh(await replica.give())).toBe(true);
    clock.advance(2_000);
  }
  expect(reads).toBe(1);
});

test("[AU17] a clock that was ahead and is set back keeps no replica from the newest key", async () => {
  const stayed = startReplica("stayed");
  await stayed.give();
  clock.advance(-86_400_000);
  database = await emptyDatabase();
  expect(await stayed.isFresh(await startReplica("came").give())).toBe(true);
});

test("[AU17] a nonce that is too old, or is none, has no key read", async () => {
  const replica = startReplica("one");
  const nonce = await replica.give();
  clock.advance(600_000);
  expect(await replica.isFresh(nonce)).toBe(false);
  expect(await replica.isFresh("x".repeat(31))).toBe(false);
  expect(reads).toBe(1);
});

test("[AU17] a foreign nonce takes the key from nobody while the database cannot be asked", async () => {
  const replica = startReplica("one");
  const own = await replica.give();
  database = unreadable(database);
  clock.advance(1_000);
  const foreign = Buffer.from(own, "base64url");
  foreign.writeUInt8(foreign.readUInt8(23) ^ 1, 23);
  expect(await replica.isFresh(foreign.toString("base64url"))).toBe(false);
  expect(reads).toBe(2);
  expect(await replica.isFresh(own)).toBe(true);
});

test("[AU17] a database that cannot be asked is asked again", async () => {
  const replica = startReplica("one");
  const whole = database;
  database = unreadable(whole);
  await expect(replica.give()).rejects.toThrow("down");
  database = whole;
  expect(await replica.isFresh(await replica.give())).toBe(true);
});
