import postgres from "postgres";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../../../../test/postgres/database.ts";
import { createRunningHash } from "../../../platform/hash.ts";
import { applyOnce, migrate, prepareVersions } from "../migrate.ts";
import { migrations } from "../migrations/index.ts";
import { createArchiveWriter, readArchive, type BackupPart } from "./archive.ts";
import { dumpDatabase } from "./dump.ts";
import { loadDatabase } from "./load.ts";

let from: TestDatabase;
let to: TestDatabase;
let admin: postgres.Sql;
const sessions: postgres.Sql[] = [];

beforeAll(async () => {
  [from, to] = [await owned(), await owned()];
  await migrate(ownerOf(from));
  admin = open(from.url);
  await admin`insert into tidemark.server (singleton, id, claimed_at_ms) values (true, 'srv_a', 1)`;
  await admin`insert into tidemark.users (id, name, created_at_ms) values ('usr_a', ${awkward}, 1)`;
  for (const id of ["ns_a", "ns_b"]) await addNamespace(id);
});
afterAll(async () => {
  for (const sql of sessions) await sql.end({ timeout: 5 });
  await from.drop();
  await to.drop();
});

/** Records made so far. */
let count = 0;

/** Text that COPY has to escape. */
const awkward = "back\\slash \\. tab\t line\nbreak 'quote' ünïcödé \\N";

/** A database that belongs to a role which row-level security binds. */
async function owned(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  const sql = postgres(database.url, { max: 1, onnotice: () => {} });
  const name = new URL(database.url).pathname.slice(1);
  await sql.unsafe(`alter database ${name} owner to tidemark_owner`);
  await sql.end({ timeout: 5 });
  return database;
}

function ownerOf(database: TestDatabase): string {
  const url = new URL(database.url);
  url.searchParams.set("role", "tidemark_owner");
  return url.href;
}

function open(url: string): postgres.Sql {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  sessions.push(sql);
  return sql;
}

async function addNamespace(id: string): Promise<void> {
  await admin`
    insert into tidemark.namespaces (namespace_id, name, kind, head, mark, lamport, digest, count,
      live_count, live_bytes, created_at_ms)
    values (${id}, ${id}, 'team', 0, 'm', 0, 0, 0, 0, 0, 1)`;
  await addRecord(id, `${id}_first`);
}

async function addRecord(namespace: string, id: string): Promise<void> {
  count += 1;
  await admin`
    insert into tidemark.records (namespace_id, id, collection, seq, lamport, writer, clocks,
      fields, at, forgotten, bucket, digest, bytes)
    values (${namespace}, ${id}, 'observation', ${count}, 1, 'w', '{}', ${awkward}, 1, false, 0, 1, 1)`;
}

async function dumped(onTable: (table: string) => Promise<void> = async () => {}): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const writer = createArchiveWriter(createRunningHash(), async (bytes) => {
    chunks.push(bytes);
    await Promise.resolve();
  });
  const sink = {
    ...writer,
    table: async (start: Parameters<typeof writer.table>[0]) => {
      await onTable(start.table);
      await writer.table(start);
    },
  };
  await dumpDatabase(ownerOf(from), sink, { program: "test", takenAtMs: 1 });
  await writer.end();
  return Buffer.concat(chunks);
}

async function* inPieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 100) {
    await Promise.resolve();
    yield bytes.subarray(at, at + 100);
  }
}

function partsOf(bytes: Buffer): AsyncIterator<BackupPart> {
  return readArchive(createRunningHash(), inPieces(bytes));
}

/** All rows of a database, as a superuser sees them. */
async function rowsOf(database: TestDatabase): Promise<Readonly<Record<string, string>>> {
  const sql = open(database.url);
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'tidemark'::regnamespace and relkind = 'r' and relname <> 'migrations'
    order by relname`;
  const rows: Record<string, string> = {};
  for (const { name } of tables) {
    const [found] = await sql<{ text: string | null }[]>`
      select string_agg(t::text, '|' order by t::text) as text from ${sql(`tidemark.${name}`)} t`;
    rows[name] = found?.text ?? "";
  }
  return rows;
}

test("[OPS80] a backup is one moment, whatever is written meanwhile, and waits for nobody", async () => {
  const before = await rowsOf(from);
  let seen = 0;
  const bytes = await dumped(async (table) => {
    seen += 1;
    // The one before has not been read to its end, or this one not begun.
    await addRecord("ns_a", `meanwhile_${table}`);
  });
  expect(seen).toBe(Object.keys(before).length);
  expect(before["records"]).toContain("ns_b_first");
  expect(await loadDatabase(ownerOf(to), partsOf(bytes), { mayReplace: false })).toMatchObject({
    ok: true,
    value: { serverId: "srv_a", isClaimed: true },
  });
  expect(await rowsOf(to)).toEqual(before);
});

test("[OPS97] limits of time for statements and transactions are off while a backup or migration runs", async () => {
  const limits = ["statement_timeout", "idle_in_transaction_session_timeout"];
  const url = new URL(ownerOf(from));
  for (const name of limits) url.searchParams.set(name, "60000");
  const sql = open(url.href);
  const inForce = async (tx: postgres.Sql | postgres.TransactionSql): Promise<unknown> =>
    await tx`select setting from pg_settings where name in ${tx(limits)}`.then((rows) =>
      rows.map(({ setting }) => setting as string),
    );
  expect(await inForce(sql)).toEqual(["60000", "60000"]);
  await sql.begin(async (tx) => {
    await prepareVersions(tx);
    expect(await inForce(tx)).toEqual(["0", "0"]);
  });
});

test("[OPS81] a restore that fails in the middle leaves the database as it was, walls and all", async () => {
  const bytes = await dumped();
  const sql = open(to.url);
  await sql`insert into tidemark.users (id, name, created_at_ms) values ('usr_here', 'x', 1)`;
  const before = await rowsOf(to);
  const broken = bytes.subarray(0, bytes.indexOf("ns_b_first"));
  const replace = { mayReplace: true };
  await expect(loadDatabase(ownerOf(to), partsOf(broken), replace)).rejects.toThrow("damaged");
  const wrong = Buffer.from(bytes.toString().replace("ns_b_first\t", ""));
  await expect(loadDatabase(ownerOf(to), partsOf(wrong), replace)).rejects.toThrow("records");
  expect(await rowsOf(to)).toEqual(before);
  expect(await loadDatabase(ownerOf(to), partsOf(bytes), { mayReplace: false })).toEqual({
    ok: false,
    error: "not-empty",
  });
  expect(await rowsOf(to)).toEqual(before);
  expect(await loadDatabase(ownerOf(to), partsOf(bytes), replace)).toMatchObject({ ok: true });
  expect(await rowsOf(to)).toEqual(await rowsOf(from));
  const walls = async (database: TestDatabase) =>
    await open(database.url)`
    select relname, relrowsecurity, relforcerowsecurity from pg_class
    where relnamespace = 'tidemark'::regnamespace and relkind = 'r' order by relname`;
  expect(await walls(to)).toEqual(await walls(from));
});

test("[OPS127] no session and no way into the console of before a restore opens after it", async () => {
  const secret = { device_id: "dev_a", made_at_ms: 1, seen_at_ms: 1, ends_at_ms: 9e15 };
  const keys = ["session", "link"].map((kind) => ({ ...secret, hash: `hash of a ${kind}`, kind }));
  await admin`insert into tidemark.console_keys ${admin(keys)}`;
  await admin`insert into tidemark.oidc_flows (state_hash, ends_at_ms) values ('hash of a flow', 9)`;
  const bytes = await dumped();
  const replace = { mayReplace: true };
  expect(await loadDatabase(ownerOf(to), partsOf(bytes), replace)).toMatchObject({ ok: true });
  expect(await rowsOf(to)).toMatchObject({ console_keys: "", oidc_flows: "" });
  expect((await rowsOf(to))["users"]).toContain("usr_a");
});

test("[OPS81] a backup of earlier tables is brought up to date, one of unknown ones refused", async () => {
  const bytes = await dumped();
  const [first = "", ...rest] = bytes.toString().split("\n");
  const header = JSON.parse(first) as { migrations: string[] };
  const later = { ...header, migrations: [...header.migrations, "9999_later"] };
  const text = [JSON.stringify(later), ...rest].join("\n");
  const replace = { mayReplace: true };
  expect(await loadDatabase(ownerOf(to), partsOf(Buffer.from(text)), replace)).toEqual({
    ok: false,
    error: "newer-tables",
  });
  await admin.unsafe("drop schema tidemark cascade");
  const owner = open(ownerOf(from));
  await owner.begin(async (tx) => {
    await prepareVersions(tx);
    for (const migration of migrations.slice(0, 8)) await applyOnce(tx, migration);
  });
  await admin`insert into tidemark.server (singleton, id) values (true, 'srv_old')`;
  await admin`insert into tidemark.users (id, name, created_at_ms) values ('usr_old', 'old', 1)`;
  const old = await dumped();
  expect(await loadDatabase(ownerOf(to), partsOf(old), replace)).toMatchObject({
    ok: true,
    value: { serverId: "srv_old", isClaimed: false },
  });
  const { applied } = await migrate(ownerOf(to));
  expect(applied).toEqual(migrations.slice(8).map(({ id }) => id));
  expect((await rowsOf(to))["users"]).toContain("usr_old");
});

test("[OPS119] a restore waits for a server that brings the tables up to date, and neither fails", async () => {
  await migrate(ownerOf(to));
  const bytes = await dumped();
  let goOn = (): void => {};
  const mayGoOn = new Promise<void>((resolve) => (goOn = resolve));
  let begun = (): void => {};
  const started = new Promise<void>((resolve) => (begun = resolve));
  // What `migrate` does for each migration, with time between its lock and its tables.
  const starting = open(ownerOf(to)).begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${7_461_964_107})`;
    begun();
    await mayGoOn;
    for (const migration of migrations) await applyOnce(tx, migration);
    return "up to date";
  });
  await started;
  const restoring = loadDatabase(ownerOf(to), partsOf(bytes), { mayReplace: true });
  const observer = open(to.url);
  await vi.waitUntil(async () => {
    const waiting = await observer`
      select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    return waiting.length > 0;
  });
  goOn();
  expect(await Promise.allSettled([starting, restoring])).toMatchObject([
    { status: "fulfilled", value: "up to date" },
    { status: "fulfilled", value: { ok: true } },
  ]);
});
