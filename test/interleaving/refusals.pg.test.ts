import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chainStart } from "../../packages/protocol/src/index.ts";
import { createPush, type PushRequest } from "../../apps/server/src/domain/push.ts";
import {
  createWorld,
  entryOf,
  seededRandom,
  sha256,
  type World,
} from "../../apps/server/src/domain/testing/world.ts";
import { openTable, type Seat, type SeatOptions, type Table } from "./table.ts";
import type { Passage } from "./wire.ts";

let table: Table;
let world: World;
/** A connection that holds locks; it never is the victim of a deadlock. */
let rival: postgres.Sql;
beforeAll(async () => {
  table = await openTable();
  world = await createWorld(table.direct);
  const writer = world.writer("before");
  await writer.send(writer.put("hot", { title: "start" }));
  const { admin, url } = table.stores;
  const name = new URL(url).pathname.slice(1);
  await admin`alter database ${admin(name)} set deadlock_timeout = '20ms'`;
  rival = postgres(url, { max: 1, connection: { deadlock_timeout: 60_000 } });
});
afterAll(async () => {
  await rival.end();
  await table.close();
});

const unavailable = { ok: false, error: { kind: "unavailable" } };

/** A push that edits the hot record, which moves it, and makes one of its own. */
function requestOf(name: string): PushRequest {
  const writer = world.writer(name);
  const base = { title: entryOf(1, world.writer("before").id, "start") };
  const lines = [writer.set("hot", { [name]: 1 }, base), writer.put(`r-${name}`, { title: name })];
  const header = { writer: writer.id, after: 0, chain: chainStart(sha256, writer.id) };
  return { namespace: world.namespace, device: world.owner, header, lines };
}

async function seatOf(
  options: SeatOptions = {},
): Promise<Seat & { push: ReturnType<typeof createPush> }> {
  const seat = await table.seat(options);
  const deps = { ...world.deps, store: seat.store, random: seededRandom(seat.wire.url) };
  return { ...seat, push: createPush(deps) };
}

/** Every row of the data path, to see that nothing was half done. */
async function everything(): Promise<unknown> {
  const { admin } = table.stores;
  return admin`
    select 'records' as what, to_jsonb(t) as row from tidemark.records t
    union all select 'revisions', to_jsonb(t) from tidemark.revisions t
    union all select 'marks', to_jsonb(t) from tidemark.marks t
    union all select 'writers', to_jsonb(t) from tidemark.writers t
    union all select 'namespaces', to_jsonb(t) from tidemark.namespaces t
    order by 1, 2`;
}

async function untilWaiting(pid: number): Promise<void> {
  for (;;) {
    const [row] = await table.stores.admin<{ readonly blockers: number }[]>`
      select cardinality(pg_blocking_pids(${pid})) as blockers`;
    if (row !== undefined && row.blockers > 0) return;
    await sleep(1);
  }
}

/** A limit of the database that strikes sooner; the store asks for its own, seconds long. */
function within(setting: string, ms: string): (sql: string) => string {
  const asked = new RegExp(String.raw`(set_config\('${setting}', )(\$\d+)`);
  return (sql) => sql.replace(asked, `$1left('${ms}' || $2::text, ${ms.length})`);
}

/** Does some work while another transaction holds a lock. */
async function holding<T>(
  lock: (tx: postgres.TransactionSql) => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  const held = await rival.begin(async (tx) => {
    await lock(tx);
    return { value: await work() };
  });
  return held.value;
}

const lockHead = (tx: postgres.TransactionSql): Promise<unknown> =>
  tx`select 1 from tidemark.namespaces where namespace_id = ${world.namespace} for update`;
const lockHot = (tx: postgres.TransactionSql): Promise<unknown> =>
  tx`select 1 from tidemark.records
    where namespace_id = ${world.namespace} and id = 'hot' for update`;

test("[PS11, PG4] a lock that is not had in time is unavailable, and nothing is half done", async () => {
  const { push, wire } = await seatOf({ rewrite: within("lock_timeout", "100") });
  const request = requestOf("locked");
  const before = await everything();
  expect(await holding(lockHead, () => push(request))).toMatchObject(unavailable);
  expect(wire.sqlStates.get("55P03")).toBe(1);
  expect(await everything()).toEqual(before);
  expect(await push(request)).toMatchObject({ ok: true });
});

test("[PS11, PG4] a statement that takes too long is unavailable, and takes back those before it", async () => {
  const { push, wire } = await seatOf({ rewrite: within("statement_timeout", "100") });
  const request = requestOf("slow");
  const before = await everything();
  expect(await holding(lockHot, () => push(request))).toMatchObject(unavailable);
  expect(wire.sqlStates.get("57014")).toBe(1);
  expect(await everything()).toEqual(before);
  expect(await push(request)).toMatchObject({ ok: true });
});

test("[PS11, PG4] a server that stalls in a transaction loses it, and its lock", async () => {
  const rewrite = within("idle_in_transaction_session_timeout", "100");
  const { push, wire } = await seatOf({ rewrite });
  const request = requestOf("stalled");
  const before = await everything();
  wire.policy = {
    rewrite,
    onStatement: async (sql, { pid }): Promise<Passage> => {
      if (sql !== "commit") return "pass";
      while (wire.pids().includes(pid)) await sleep(1);
      return "pass";
    },
  };
  expect(await push(request)).toMatchObject(unavailable);
  expect(wire.sqlStates.get("25P03")).toBe(1);
  expect(await everything()).toEqual(before);
  expect(await world.push(requestOf("beside"))).toMatchObject({ ok: true });
  wire.policy = {};
  expect(await push(request)).toMatchObject({ ok: true });
});

test("[PG35] a push that a deadlock took back is made again at once", async () => {
  const { push, wire } = await seatOf();
  const request = requestOf("crossed");
  const { answer } = await rival.begin(async (tx) => {
    const [own] = await tx<{ readonly pid: number }[]>`select pg_backend_pid() as pid`;
    await lockHot(tx);
    const crossed = new Promise<unknown>((resolve, reject) => {
      wire.policy = {
        onStatement: async (sql): Promise<Passage> => {
          if (!sql.includes("insert into tidemark.records")) return "pass";
          wire.policy = {};
          // Granted once the push was made to give the head row back.
          lockHead(tx).then(resolve, reject);
          await untilWaiting(own?.pid ?? 0);
          return "pass";
        },
      };
    });
    const pushing = push(request);
    await crossed;
    return { answer: () => pushing };
  });
  expect(await answer()).toMatchObject({ ok: true, value: { position: { acked: 2 } } });
  expect(wire.sqlStates.get("40P01")).toBe(1);
});

test("[PG35] what cannot be serialized is made again, by the server and then by the client", async () => {
  const rewrite = (sql: string): string =>
    sql.replace("isolation level read committed", "isolation level serializable");
  const seats = [await seatOf({ rewrite }), await seatOf({ rewrite }), await seatOf({ rewrite })];
  const { tail: before } = await world.pullAll();
  const each = 10;
  let repeats = 0;
  await Promise.all(
    seats.map(async ({ push }, seat) => {
      for (let round = 0; round < each; round += 1) {
        const request = requestOf(`serial-${seat}-${round}`);
        for (let answer = await push(request); !answer.ok; answer = await push(request)) {
          expect(answer).toMatchObject(unavailable);
          repeats += 1;
        }
      }
    }),
  );
  const failures = seats.reduce((sum, { wire }) => sum + (wire.sqlStates.get("40001") ?? 0), 0);
  expect(failures).toBeGreaterThan(5);
  // Most are the server's own to make again; a client hears of few.
  expect(repeats).toBeLessThan(failures / 2);
  const { tail, states } = await world.pullAll();
  expect(tail.head - before.head).toBe(seats.length * each * 2);
  expect([...states.keys()].filter((id) => id.startsWith("r-serial-"))).toHaveLength(
    seats.length * each,
  );
});

test("[PG35, PS11] a commit that fails to serialize is made again, five times at most", async () => {
  const { admin } = table.stores;
  const fail = async (times: number): Promise<void> => {
    await admin`select setval('failures_left', ${times})`;
  };
  await admin.unsafe(`
    create sequence failures_left minvalue -1000 increment -1 start 1000 maxvalue 1000;
    create function fail_commit() returns trigger language plpgsql security definer as $$
      begin
        if nextval('failures_left') >= 0 then
          raise exception 'could not serialize access' using errcode = '40001';
        end if;
        return null;
      end $$;
    create constraint trigger fail_commit after insert or update on tidemark.writers
      deferrable initially deferred for each row execute function fail_commit()`);
  try {
    const { push, wire } = await seatOf();
    await fail(4);
    expect(await push(requestOf("four"))).toMatchObject({ ok: true });
    expect(wire.sqlStates.get("40001")).toBe(4);
    const before = await everything();
    await fail(1000);
    const request = requestOf("always");
    expect(await push(request)).toMatchObject(unavailable);
    expect(wire.sqlStates.get("40001")).toBe(9);
    expect(await everything()).toEqual(before);
    await fail(-1);
    expect(await push(request)).toMatchObject({ ok: true, value: { position: { acked: 2 } } });
  } finally {
    await admin`drop trigger fail_commit on tidemark.writers`;
  }
});
