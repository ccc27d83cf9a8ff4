import type { DeviceId, NamespaceId, UserId } from "@tidemark/protocol";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { applyRetention } from "../../domain/retention.ts";
import { createWorld, type World } from "../../domain/testing/world.ts";
import { systemTimers } from "../../platform/timers.ts";
import { openDoor, type Door } from "./door.ts";
import { createTestStores, type TestStores } from "./testing/test-store.ts";

let stores: TestStores;
let app: postgres.Sql;
let door: Door;
const notices: string[] = [];
beforeAll(async () => {
  stores = await createTestStores();
  app = postgres(stores.appUrl, {
    max: 1,
    onnotice: ({ message = "" }) => void notices.push(message),
  });
  door = openDoor({
    url: stores.appUrl,
    clock: { nowMs: () => 1 },
    random: { bytes: (count) => new Uint8Array(count) },
    timers: systemTimers,
    poolSize: 1,
  });
});
afterAll(async () => {
  await door.close();
  await app.end();
  await stores.drop();
});

interface Two {
  readonly world: World;
  readonly a: NamespaceId;
  readonly b: NamespaceId;
}

/** One record in each of two namespaces. */
async function twoNamespaces(): Promise<Two> {
  const world = await createWorld(await stores.open({ nowMs: () => 1 }));
  const a = world.namespace;
  const b = await world.namespaceOf("side");
  const writerA = world.writer("wa");
  await writerA.send(writerA.put("ra", { title: "of a" }));
  const writerB = world.writer("wb", world.owner, b);
  await writerB.send(writerB.put("rb", { title: "of b" }));
  return { world, a, b };
}

test("[PG3] whatever ends a request half-way, the next on its connection sees its own namespace alone (abuse 102)", async () => {
  const { a, b } = await twoNamespaces();
  const idsIn = async (namespace: NamespaceId): Promise<readonly string[]> =>
    await door.withNamespace(namespace, "read", async (tx) => {
      const rows = await tx<{ readonly id: string }[]>`select id from tidemark.records`;
      return rows.map(({ id }) => id);
    });
  const ends: readonly Parameters<typeof door.withNamespace<unknown>>[2][] = [
    async (tx) => await tx`select ${"x"}::text::int`,
    async (tx) => {
      await tx`select set_config('statement_timeout', '20', true)`;
      await tx`select pg_sleep(2)`;
    },
    async () => await Promise.reject(new Error("the client went away")),
    async (tx) => await tx`select 1/0`,
  ];
  for (const end of ends) {
    await expect(door.withNamespace(a, "write", end)).rejects.toThrow(/./);
    expect(await idsIn(b)).toEqual(["rb"]);
    const left = await door.withAccounts(
      async (tx) =>
        await tx`select nullif(current_setting('tidemark.namespace_id', true), '') as namespace`,
    );
    expect(left).toEqual([{ namespace: null }]);
    expect(await idsIn(a)).toEqual(["ra"]);
  }
});

test("[PG3] without a namespace nothing is read and nothing written (abuse 103)", async () => {
  await twoNamespaces();
  for (const table of ["records", "revisions", "marks", "writers"]) {
    expect(await app`select 1 from ${app(`tidemark.${table}`)}`).toHaveLength(0);
    expect(await app`delete from ${app(`tidemark.${table}`)} returning 1`).toHaveLength(0);
  }
  const inserts = [
    app`insert into tidemark.marks values ('ns_team', 99, 'forged', 0)`,
    app`insert into tidemark.writers values ('ns_team', 'w', 'd', 0, 'c', 0, '[]')`,
  ];
  for (const insert of inserts) await expect(insert).rejects.toMatchObject({ code: "42501" });
});

test("[NS23] a purge takes every row of its namespace, in parts, and none of another's", async () => {
  const { world, a, b } = await twoNamespaces();
  const { store } = world.deps;
  const more = world.writer("wm");
  for (let at = 0; at < 7; at += 1) {
    await more.send(more.put(`m${at}`, { title: "x" }), more.set(`m${at}`, { title: "y" }, {}));
  }
  await store.accounts.deleteNamespace({ device: world.owner, namespace: a });
  await stores.admin`update tidemark.namespaces set deleted_at_ms = -9e12 where namespace_id = ${a}`;
  const rowsOf = async (namespace: NamespaceId): Promise<readonly number[]> => {
    const tables = ["records", "revisions", "marks", "writers", "members", "former_members"];
    return await Promise.all(
      [...tables, "namespaces"].map(async (table) => {
        const rows = await stores.admin`
          select 1 from ${stores.admin(`tidemark.${table}`)} where namespace_id = ${namespace}`;
        return rows.length;
      }),
    );
  };
  const beside = await rowsOf(b);
  const [records = 0] = await rowsOf(a);
  expect(await store.purgeNamespace(a, 3)).toBe(false);
  expect((await rowsOf(a))[0]).toBe(records - 3);
  while (!(await store.purgeNamespace(a, 3)));
  expect(await rowsOf(a)).toEqual([0, 0, 0, 0, 0, 0, 0]);
  expect(await rowsOf(b)).toEqual(beside);
  await applyRetention({ store }, { nowMs: 1 });
  expect(await rowsOf(b)).toEqual(beside);
});

test("[PG2] the catalog holds nothing that looks past the walls (abuse 106)", async () => {
  const views = await stores.admin`
    select relname from pg_class
    where relnamespace = 'tidemark'::regnamespace and relkind in ('v', 'm')
      and not coalesce(reloptions @> array['security_invoker=true'], false)`;
  expect(views).toEqual([]);
  const functions = await stores.admin`
    select proname from pg_proc where pronamespace = 'tidemark'::regnamespace`;
  expect(functions).toEqual([]);
  const granted = await stores.admin`
    select c.relname, p.privilege from pg_class c
    cross join unnest(array['TRUNCATE', 'REFERENCES', 'TRIGGER']) as p (privilege)
    where c.relnamespace = 'tidemark'::regnamespace and c.relkind in ('r', 'p')
      and has_table_privilege('tidemark_app', c.oid, p.privilege)`;
  expect(granted).toEqual([]);
  const [may] = await stores.admin`
    select has_schema_privilege('tidemark_app', 'tidemark', 'create') as tables,
      has_schema_privilege('tidemark_app', 'public', 'create') as public,
      has_database_privilege('tidemark_app', current_database(), 'create') as schemas`;
  expect(may).toEqual({ tables: false, public: false, schemas: false });
});

test("[PG3] policies compare by an operator that tells nothing, so a leaking function sees no other's row (abuse 107)", async () => {
  const { a } = await twoNamespaces();
  const policies = await stores.admin<{ readonly qual: string; readonly check: string }[]>`
    select qual, with_check as check from pg_policies
    where schemaname = 'tidemark' and tablename in ('records', 'revisions', 'marks', 'writers')`;
  const shape =
    /^\(namespace_id = NULLIF\(current_setting\('tidemark\.namespace_id'::text, true\), ''::text\)\)$/;
  expect(policies).toHaveLength(4);
  for (const { qual, check } of policies) {
    expect(qual).toMatch(shape);
    expect(check).toBe(qual);
  }
  const [operator] = await stores.admin`
    select proleakproof from pg_proc where oid = 'texteq(text, text)'::regprocedure`;
  expect(operator).toEqual({ proleakproof: true });
  // The cheapest function there is: without the wall the planner would ask it first.
  await app.begin(async (tx) => {
    await tx`
      create function pg_temp.leak(given text) returns boolean language plpgsql cost 0.0000001 as
      'begin raise notice ''leaked %'', given; return true; end'`;
    await tx`select set_config('tidemark.namespace_id', ${a}, true)`;
    const seen = await tx`select id from tidemark.records where pg_temp.leak(fields)`;
    expect(seen).toEqual([{ id: "ra" }]);
  });
  expect(notices.filter((notice) => notice.includes("of a"))).not.toEqual([]);
  expect(notices.filter((notice) => notice.includes("of b"))).toEqual([]);
});

test("[AU22] of a group that is committed together the revoked one's ops are answered, not stored (abuse 108)", async () => {
  const { world, a } = await twoNamespaces();
  const { accounts } = world.deps.store;
  const will = await world.admit("will", "writer");
  const wanda = await world.admit("wanda", "writer");
  const sending = (name: string, device: DeviceId) => {
    const writer = world.writer(name, device, a);
    return async () => await writer.send(writer.put(`r-${name}`, { title: name }));
  };
  const first = sending("w0", world.owner);
  const kept = sending("w1", will.device);
  const refused = sending("w2", wanda.device);
  const holder = await stores.admin.reserve();
  await holder`begin`;
  await holder`select 1 from tidemark.namespaces where namespace_id = ${a} for update`;
  // The first waits for the lock, and the others gather behind it into one group.
  const pushing = [first(), kept(), refused()];
  const revoking = accounts.revokeDevice({
    asking: wanda.device,
    id: wanda.device,
    isForced: true,
  });
  const isRevoked = async (): Promise<boolean> =>
    (await accounts.device(wanda.device))?.status === "revoked";
  while (!(await isRevoked())) await accounts.identity(world.owner);
  await holder`commit`;
  holder.release();
  expect(await Promise.all(pushing)).toMatchObject([
    { ok: true },
    { ok: true },
    { ok: false, error: { kind: "not-found" } },
  ]);
  expect(await revoking).toMatchObject({ ok: true });
  const { states } = await world.pullAll();
  expect([...states.keys()].toSorted()).toEqual(["r-w0", "r-w1", "ra"]);
  const writers = await stores.admin`
    select writer, device_id as device from tidemark.writers
    where namespace_id = ${a} and writer in ('w1', 'w2')`;
  expect(writers).toEqual([{ writer: "w1", device: will.device }]);
  expect(will.user).not.toBe(wanda.user satisfies UserId);
});
