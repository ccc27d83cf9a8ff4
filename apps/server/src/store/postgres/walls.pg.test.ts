import type { NamespaceId } from "@tidemark/protocol";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase } from "../../../../../test/postgres/database.ts";
import { createWorld } from "../../domain/testing/world.ts";
import { systemTimers } from "../../platform/timers.ts";
import { StoreUnavailable } from "../store-unavailable.ts";
import { migrate } from "./migrate.ts";
import { migrations } from "./migrations/index.ts";
import { createPostgresStore } from "./postgres-store.ts";
import { createTestStores, type TestStores } from "./testing/test-store.ts";

const walled = ["records", "revisions", "marks", "writers"];
const sealedTables = ["membership_log", "key_wraps"];

let stores: TestStores;
let app: postgres.Sql;
beforeAll(async () => {
  stores = await createTestStores();
  app = postgres(stores.appUrl, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await app.end();
  await stores.drop();
});

async function filledNamespace(): Promise<NamespaceId> {
  const { writer, namespace } = await createWorld(await stores.open({ nowMs: () => 1 }));
  const a = writer("wa");
  await a.send(a.put("r1", { title: "one" }));
  await a.send(a.set("r1", { title: "two" }, {}));
  return namespace;
}

test("[PG3] without a namespace set, the app role sees no row of any", async () => {
  const namespace = await filledNamespace();
  for (const table of walled) {
    const all = await stores.admin`select 1 from ${stores.admin(`tidemark.${table}`)}`;
    expect(all.length).toBeGreaterThan(0);
    expect(await app`select 1 from ${app(`tidemark.${table}`)}`).toHaveLength(0);
    const inside = await app.begin(async (tx) => {
      await tx`select set_config('tidemark.namespace_id', ${namespace}, true)`;
      return tx`select 1 from ${tx(`tidemark.${table}`)}`;
    });
    expect(inside.length).toBeGreaterThan(0);
    // The setting ends with its transaction, also on the same connection.
    expect(await app`select 1 from ${app(`tidemark.${table}`)}`).toHaveLength(0);
  }
});

test("[PG3] what is behind the wall of an encrypted namespace is seen there alone", async () => {
  const store = await stores.open({ nowMs: () => 1 });
  const { owner } = await createWorld(store);
  const id = "nse_a" as NamespaceId;
  const wraps = [{ epoch: 1, recipient: owner, wrap: "w" }];
  const sealed = { genesis: "g", wraps };
  await store.accounts.createNamespace({ asking: owner, id, name: "x", mark: "m", sealed });
  for (const table of sealedTables) {
    expect(await app`select 1 from ${app(`tidemark.${table}`)}`).toHaveLength(0);
    for (const [place, count] of [
      [id, 1],
      ["ns_team", 0],
    ] as const) {
      const seen = await app.begin(async (tx) => {
        await tx`select set_config('tidemark.namespace_id', ${place}, true)`;
        return tx`select 1 from ${tx(`tidemark.${table}`)}`;
      });
      expect(seen).toHaveLength(count);
    }
  }
});

test("[PG3] a row of another namespace can be neither read, changed nor written", async () => {
  const namespace = await filledNamespace();
  const changed = await app.begin(async (tx) => {
    await tx`select set_config('tidemark.namespace_id', 'ns_other', true)`;
    return tx`update tidemark.records set collection = 'stolen'
      where namespace_id = ${namespace} returning 1`;
  });
  expect(changed).toHaveLength(0);
  const written = app.begin(async (tx) => {
    await tx`select set_config('tidemark.namespace_id', 'ns_other', true)`;
    await tx`insert into tidemark.marks (namespace_id, head, mark, created_at_ms)
      values (${namespace}, 99, 'forged', 0)`;
  });
  await expect(written).rejects.toMatchObject({ code: "42501" });
});

test("[PG2] the app role owns nothing and may not truncate, create or bypass", async () => {
  await filledNamespace();
  const owned = await app`select 1 from pg_class where relowner = 'tidemark_app'::regrole`;
  expect(owned).toHaveLength(0);
  for (const statement of [
    "truncate tidemark.records",
    "create table tidemark.mine (id text)",
    "alter table tidemark.records disable row level security",
    "delete from tidemark.migrations",
  ]) {
    await expect(app.unsafe(statement)).rejects.toMatchObject({ code: "42501" });
  }
});

test("[PG6] every table of the data path has a key that begins with the namespace", async () => {
  const rows = await stores.admin<{ table: string; first: string }[]>`
    select c.relname as table, a.attname as first
    from pg_index i join pg_class c on c.oid = i.indrelid
    join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
    where i.indisprimary and c.relnamespace = 'tidemark'::regnamespace`;
  const firstByTable = new Map(rows.map(({ table, first }) => [table, first]));
  for (const table of [...walled, "namespaces", "members"]) {
    expect(firstByTable.get(table)).toBe("namespace_id");
  }
  const clever = await stores.admin`
    select 1 from pg_class where relkind = 'S' and relnamespace = 'tidemark'::regnamespace
    union all select 1 from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where c.relnamespace = 'tidemark'::regnamespace and not t.tgisinternal`;
  expect(clever).toHaveLength(0);
});

test("[PG1] migrating twice, or twice at once, applies each migration once", async () => {
  const database = await createTestDatabase();
  try {
    const [first, second] = await Promise.all([migrate(database.url), migrate(database.url)]);
    const ids = migrations.map(({ id }) => id);
    expect([...first.applied, ...second.applied].toSorted()).toEqual(ids);
    expect(await migrate(database.url)).toEqual({ applied: [], later: [] });
  } finally {
    await database.drop();
  }
});

test("[AU1] a link that was printed before the update opens the server after it", async () => {
  const database = await createTestDatabase();
  const before = migrations.slice(0, 3);
  const admin = postgres(database.url, { max: 1, onnotice: () => {} });
  try {
    await admin`create schema tidemark`;
    await admin`create table tidemark.migrations (id text primary key, applied_at timestamptz not null default now())`;
    for (const { id, sql } of before) {
      await admin.unsafe(sql);
      await admin`insert into tidemark.migrations (id) values (${id})`;
    }
    await admin`insert into tidemark.server values (true, 'srv', null, 'hash', 7)`;
    await admin`insert into tidemark.users values ('usr', 'Ada', 1)`;
    await admin`insert into tidemark.devices (id, user_id, name, platform, public_key, thumbprint,
      status, paired_at_ms) values ('dev', 'usr', 'desk', 'linux', '{}', 'print', 'active', 1)`;
    await admin`insert into tidemark.links (id, kind, auth_hash, created_by, created_by_device,
      expires_at_ms, used_at_ms) values ('used', 'device', 'hash', 'usr', 'dev', 9, 5),
        ('open', 'device', 'hash', 'usr', 'dev', 9, null)`;
    await migrate(database.url);
    expect(await admin`select id, uses, uses_max from tidemark.links order by id`).toEqual([
      { id: "open", uses: 0, uses_max: 1 },
      { id: "used", uses: 1, uses_max: 1 },
    ]);
    expect(await admin`select secret_hash, expires_at_ms::int from tidemark.setup_secrets`).toEqual(
      [{ secret_hash: "hash", expires_at_ms: 7 }],
    );
    expect(await admin`select joined_name from tidemark.devices`).toEqual([
      { joined_name: "desk" },
    ]);
  } finally {
    await admin.end();
    await database.drop();
  }
});

test("[PG7] the owner's connection serves as the app role, without prepared statements too", async () => {
  await stores.open({ nowMs: () => 1 });
  const store = createPostgresStore({
    url: stores.url,
    clock: { nowMs: () => 1 },
    random: { bytes: (count) => new Uint8Array(count) },
    timers: systemTimers,
    role: "tidemark_app",
    prepare: false,
    poolSize: 2,
  });
  try {
    const { writer, pullAll } = await createWorld(store);
    const a = writer("wa");
    await a.send(a.put("r1", { title: "one" }), a.put("r2", { title: "two" }));
    expect((await pullAll()).tail.count).toBe(2);
  } finally {
    await store.close();
  }
});

test("[PS11] a database that is away is unavailable, not a bug", async () => {
  const store = createPostgresStore({
    url: "postgres://nobody@127.0.0.1:1/none",
    clock: { nowMs: () => 1 },
    random: { bytes: (count) => new Uint8Array(count) },
    timers: systemTimers,
  });
  expect(await store.ping()).toBe(false);
  await expect(store.namespaceIds()).rejects.toBeInstanceOf(StoreUnavailable);
  await store.close();
});
