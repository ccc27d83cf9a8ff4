import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from "../../apps/server/src/platform/embedded-postgres/embedded-postgres.ts";
import { createLog } from "../../apps/server/src/platform/log.ts";
import { systemRandom } from "../../apps/server/src/platform/random.ts";
import { systemTimers } from "../../apps/server/src/platform/timers.ts";
import { storeContract } from "../../apps/server/src/store/contract.ts";
import type { Store } from "../../apps/server/src/store/port.ts";
import { migrate } from "../../apps/server/src/store/postgres/migrate.ts";
import { createPostgresStore } from "../../apps/server/src/store/postgres/postgres-store.ts";
import { StoreUnavailable } from "../../apps/server/src/store/store-unavailable.ts";
import { createWorld, type Device, type World } from "../integration/world.ts";
import { createTestDatabase, type TestDatabase } from "../postgres/database.ts";
import { homePlace, openDirectory } from "./directory.ts";
import { adminOf, dropLeftovers, moveNamespace, type Movers } from "./move-namespace.ts";
import { createPlacedStore } from "./placed-store.ts";

const away = "away";
const deps = { clock: systemClock, random: systemRandom, timers: systemTimers };

/** Two databases on two servers, and the directory in front of them. */
interface Servers extends Movers {
  open(clock: { nowMs(): number }, wrapHome?: (home: Store) => Store): Store;
  rows(place: string): Promise<number>;
}

let folder: string;
let second: EmbeddedPostgres;
let databases: readonly TestDatabase[];
let servers: Servers;
const toClose: { close(): unknown }[] = [];

beforeAll(async () => {
  // The prefix of the shared server's folder: what a killed run leaves is swept away by the next.
  folder = await mkdtemp(join(tmpdir(), "tidemark-test-"));
  const settings = { fsync: "off", full_page_writes: "off" };
  const started = await startEmbeddedPostgres(
    { ...deps, log: createLog({ level: "error" }) },
    { dataDir: folder, listen: "loopback", settings },
  );
  if (!started.ok) throw new Error(started.error.message);
  second = started.value;
  const [home, other] = [await createTestDatabase(), await createTestDatabase(second.adminUrl)];
  databases = [home, other];
  for (const { url } of databases) await migrate(url);
  servers = await openServers(home, other);
});
afterAll(async () => {
  await servers.directory.close();
  for (const sql of servers.admins.values()) await sql.end();
  for (const database of databases) await database.drop();
  await second.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A test may open one store after the other, and expects each to be empty. */
async function emptyServers(): Promise<void> {
  for (const sql of servers.admins.values()) {
    await sql`
      truncate tidemark.records, tidemark.namespaces, tidemark.marks, tidemark.writers,
        tidemark.revisions, tidemark.members, tidemark.users, tidemark.devices, tidemark.links,
        tidemark.signing_keys, tidemark.server, tidemark.setup_secrets, tidemark.pairings,
        tidemark.attempts, tidemark.audit, tidemark.former_members,
          tidemark.waiting_members, tidemark.suspects, tidemark.job_tokens,
          tidemark.membership_log, tidemark.key_wraps,
          tidemark.console_keys, tidemark.identities, tidemark.oidc_flows`;
    await sql`update tidemark.audit_head set seq = 0, hash = ''`;
  }
  await adminOf(servers.admins, homePlace)`truncate public.placements`;
}

beforeEach(emptyServers);
afterEach(async () => {
  for (const one of toClose.splice(0)) await one.close();
});

async function openServers(home: TestDatabase, other: TestDatabase): Promise<Servers> {
  const directory = await openDirectory(home.url);
  const admin = ({ url }: TestDatabase): postgres.Sql =>
    postgres(url, { max: 2, onnotice: () => {} });
  const admins = new Map([
    [homePlace, admin(home)],
    [away, admin(other)],
  ]);
  return {
    directory,
    admins,
    open: (clock, wrapHome = (store) => store) => {
      const store = ({ appUrl }: TestDatabase): Store =>
        createPostgresStore({ ...deps, clock, url: appUrl });
      const stores = new Map([
        [homePlace, wrapHome(store(home))],
        [away, store(other)],
      ]);
      const placed = createPlacedStore(directory, stores);
      toClose.push(placed);
      return placed;
    },
    rows: async (place) => {
      const [row] = await adminOf(admins, place)<{ count: number }[]>`
        select count(*)::int as count from tidemark.records`;
      return row?.count ?? -1;
    },
  };
}

interface Synced {
  readonly world: World;
  /** What the devices asked for. */
  readonly paths: readonly string[];
  /** Waits until one of them is told that its write has to wait. */
  readonly refusal: () => Promise<void>;
}

async function syncingWorld(makeStore: (clock: { nowMs(): number }) => Store): Promise<Synced> {
  const paths: string[] = [];
  let onRefusal = (): void => {};
  const world = await createWorld(async (request, deliver) => {
    const response = await deliver();
    paths.push(new URL(request.url).pathname);
    if (response.status === 503) onRefusal();
    return response;
  }, makeStore);
  toClose.unshift(world);
  const refusal = (): Promise<void> => new Promise((resolve) => (onRefusal = resolve));
  return { world, paths, refusal };
}

/** Syncs until nothing is left; a busy machine may make single requests time out. */
async function settle(...devices: readonly Device[]): Promise<void> {
  for (const device of devices) {
    let rounds = 0;
    while (!(await device.sync()).isDone) {
      rounds += 1;
      if (rounds === 50) throw new Error("a device does not settle");
    }
  }
}

/** Devices that change something and sync, over and over, until they are told to stop. */
function keepBusy(devices: readonly Device[]) {
  const rounds = devices.map(() => 0);
  const told = { isOver: false };
  let onRound = (): void => {};
  const running = devices.map(async (device, index) => {
    while (!told.isOver) {
      const round = (rounds[index] ?? 0) + 1;
      device.put(`d${String(index)}-${String(round)}`, { title: `round ${String(round)}` });
      device.set(`d${String(index)}-1`, { title: `latest ${String(round)}` });
      await device.sync();
      rounds[index] = round;
      onRound();
    }
  });
  return {
    /** Waits until each device has done this many more. */
    more: async (count: number): Promise<void> => {
      const goals = rounds.map((round) => round + count);
      while (rounds.some((round, index) => round < (goals[index] ?? 0))) {
        await new Promise<void>((resolve) => {
          onRound = resolve;
        });
      }
    },
    stop: async (): Promise<readonly number[]> => {
      told.isOver = true;
      await Promise.all(running);
      return rounds;
    },
  };
}

test("[PG32] a namespace moves to another server and back while two devices sync", async () => {
  let store: Store | undefined;
  const { world, paths, refusal } = await syncingWorld((clock) => (store = servers.open(clock)));
  const { a, b, namespace } = world;
  const busy = keepBusy([a, b]);
  const move = async (from: string, to: string): Promise<void> => {
    await busy.more(2);
    await moveNamespace({ ...servers, onCopied: refusal }, namespace, to);
    await busy.more(2);
    await dropLeftovers(servers, namespace, from);
    expect(await servers.rows(from)).toBe(0);
    expect(await servers.rows(to)).toBeGreaterThan(0);
  };
  await move(homePlace, away);
  await move(away, homePlace);
  await busy.more(2);
  const rounds = await busy.stop();

  await settle(a, b, a, b);
  // Nothing is lost, and nothing came twice: that would be a conflict, or a writer ahead of itself.
  const expected = Object.fromEntries(
    rounds.flatMap((last, index) =>
      Array.from({ length: last }, (_, at) => [
        `d${String(index)}-${String(at + 1)}`,
        at === 0 ? `latest ${String(last)}` : `round ${String(at + 1)}`,
      ]),
    ),
  );
  expect(a.titles()).toEqual(expected);
  expect(b.titles()).toEqual(expected);
  const writers = await adminOf(servers.admins, homePlace)<{ acked: number }[]>`
    select acked::int as acked from tidemark.writers order by acked`;
  expect(writers.map(({ acked }) => acked)).toEqual(
    rounds.map((last) => 2 * last).toSorted((one, other) => one - other),
  );
  const head = await store?.readNamespace(namespace, (tx) => tx.head());
  for (const { store: replica } of [a, b]) {
    const { digest, count } = head ?? {};
    expect(replica.replicas.replica(namespace)?.confirmed).toEqual({ digest, count });
    expect(replica.reads.conflicts()).toEqual([]);
  }
  // Cursors, marks and positions stayed good: nobody healed, forked or compared.
  expect(paths.filter((path) => /\/(?:heal|digests)/.test(path))).toEqual([]);
  const reported = [...a.reports, ...b.reports].filter(({ kind }) => kind !== "trouble");
  expect(reported).toEqual([]);
});

test("[PG32] a write that was on its way when the namespace left follows it", async () => {
  let arrive = (): void => {};
  let letIn = (): void => {};
  const hasArrived = new Promise<void>((resolve) => (arrive = resolve));
  const gate = new Promise<void>((resolve) => (letIn = resolve));
  let isGated = false;
  const { world } = await syncingWorld((clock) =>
    servers.open(clock, (home) => ({
      ...home,
      writeNamespace: async (namespace, work) => {
        arrive();
        if (isGated) await gate;
        return await home.writeNamespace(namespace, work);
      },
    })),
  );
  const { a, b, namespace } = world;
  isGated = true;
  a.put("r1", { title: "late" });
  const syncing = a.sync();
  await hasArrived;
  await moveNamespace(servers, namespace, away);
  letIn();
  await syncing;
  await settle(a);
  expect([await servers.rows(homePlace), await servers.rows(away)]).toEqual([0, 1]);
  await settle(b);
  expect(b.titles()).toEqual({ r1: "late" });
});

test("[PG33] a copy that differs is not moved to, and the namespace goes on where it was", async () => {
  const { world } = await syncingWorld((clock) => servers.open(clock));
  const { a, b, namespace } = world;
  a.put("r1", { title: "one" });
  await settle(a);
  const onCopied = async (target: postgres.ISql): Promise<void> => {
    await target`update tidemark.records set fields = '{"title":"two"}'`;
  };
  await expect(moveNamespace({ ...servers, onCopied }, namespace, away)).rejects.toThrow("differs");
  expect(await servers.directory.placementOf(namespace)).toMatchObject({
    place: homePlace,
    isMoving: false,
  });
  await expect(dropLeftovers(servers, namespace, homePlace)).rejects.toThrow("is here");
  a.put("r2", { title: "two" });
  await settle(a);
  await settle(b);
  expect(b.titles()).toEqual({ r1: "one", r2: "two" });
});

test("[PG33] a mover that died leaves reads, refuses writes, and the next one takes over", async () => {
  const clock = { nowMs: () => 1 };
  const { world } = await syncingWorld((given) => servers.open(given));
  const store = servers.open(clock);
  const { a, namespace } = world;
  a.put("r1", { title: "one" });
  await settle(a);
  const dead = await servers.directory.beginMove(namespace);
  const head = async (): Promise<number | undefined> =>
    await store.readNamespace(namespace, async (tx) => (await tx.head()).head);
  expect(await head()).toBe(1);
  await expect(store.writeNamespace(namespace, (tx) => tx.head())).rejects.toBeInstanceOf(
    StoreUnavailable,
  );
  await moveNamespace(servers, namespace, away);
  expect(await servers.directory.endMove(namespace, dead, homePlace)).toBe(false);
  expect(await head()).toBe(1);
  a.put("r2", { title: "two" });
  await settle(a);
});

// Everything that a store does, with every namespace on the other server than its people.
storeContract("two servers", async (clock) => {
  await emptyServers();
  const store = servers.open(clock);
  let last: Promise<void> = Promise.resolve();
  const leaveHome = async (): Promise<void> => {
    for (const id of await store.namespaceIds()) await moveNamespace(servers, id, away);
  };
  const leave = async <T>(made: T): Promise<T> => {
    // One after the other, for the contract has racers and a second mover takes over.
    last = last.then(leaveHome);
    await last;
    return made;
  };
  const { accounts } = store;
  return {
    ...store,
    // Whose time is over comes home first: there it is known to be deleted.
    purgeNamespace: async (namespace, rowsMax) => {
      if ((await store.expiredNamespaces(1_000)).includes(namespace)) {
        await moveNamespace(servers, namespace, homePlace);
        await dropLeftovers(servers, namespace, away);
      }
      return await store.purgeNamespace(namespace, rowsMax);
    },
    accounts: {
      ...accounts,
      claim: async (input) => await leave(await accounts.claim(input)),
      redeemLink: async (input) => await leave(await accounts.redeemLink(input)),
      createNamespace: async (input) => await leave(await accounts.createNamespace(input)),
    },
  };
});
