import postgres from "postgres";
import { postgresTarget } from "../../postgres-target.ts";
import { migrations, type Migration } from "./migrations/index.ts";

/** Holds off a second server that starts at the same time. Migrating is not the write path. */
const migrationLock = 7_461_964_107;

/** The role that serves requests: it owns nothing and is bound by row-level security. */
const appRole = "tidemark_app";

/**
 * Brings the schema up to date and gives the ids of what was newly applied (PG1).
 *
 * Safe to run at any time and from several servers at once: each migration is one transaction with
 * its entry in the version table. Run it with the owner's connection string; where a role
 * `tidemark_app` exists it is given SELECT, INSERT, UPDATE and DELETE, and nothing more (PG2).
 */
export async function migrate(url: string): Promise<readonly string[]> {
  const sql = ownerSession(url);
  try {
    await sql.begin(prepareVersions);
    const applied: string[] = [];
    for (const migration of migrations) {
      const isNew = await sql.begin((tx) => applyOnce(tx, migration));
      if (isNew) applied.push(migration.id);
    }
    await sql.begin(grantToApp);
    return applied;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/**
 * The migrations that a later version has applied and this one does not know (OPS94). It serves what
 * it knows of such tables, so that an update can be taken back.
 */
export async function laterMigrations(url: string): Promise<readonly string[]> {
  const known = new Set(migrations.map(({ id }) => id));
  const sql = ownerSession(url);
  try {
    const rows = await sql<{ id: string }[]>`select id from tidemark.migrations order by id`;
    return rows.map(({ id }) => id).filter((id) => !known.has(id));
  } finally {
    await sql.end({ timeout: 5 });
  }
}

function ownerSession(url: string): postgres.Sql {
  const target = postgresTarget(url);
  return postgres(target.url, {
    ...target.options,
    max: 1,
    prepare: false,
    onnotice: () => {},
    connect_timeout: 30,
    fetch_types: false,
  });
}

/** Makes the version table, under the lock that migrating takes. */
export async function prepareVersions(tx: postgres.TransactionSql): Promise<void> {
  await lock(tx);
  await tx`create schema if not exists tidemark`;
  await tx`
    create table if not exists tidemark.migrations (
      id text primary key,
      applied_at timestamptz not null default now()
    )`;
}

/** Applies one migration that is not applied yet; tells whether it was not. */
export async function applyOnce(
  tx: postgres.TransactionSql,
  migration: Migration,
): Promise<boolean> {
  await lock(tx);
  const found = await tx`select 1 from tidemark.migrations where id = ${migration.id}`;
  if (found.length > 0) return false;
  await tx.unsafe(migration.sql);
  await tx`insert into tidemark.migrations (id) values (${migration.id})`;
  return true;
}

async function grantToApp(tx: postgres.TransactionSql): Promise<void> {
  await lock(tx);
  const found = await tx`select 1 from pg_roles where rolname = ${appRole}`;
  if (found.length === 0) return;
  await tx.unsafe(`
    grant usage on schema tidemark to ${appRole};
    grant select, insert, update, delete on all tables in schema tidemark to ${appRole};
    revoke insert, update, delete on tidemark.migrations from ${appRole};
    revoke update, delete on tidemark.audit from ${appRole};
    revoke insert, delete on tidemark.audit_head from ${appRole};
  `);
}

/**
 * Takes off the limits of time that a login or a database may have: they are for requests, and this
 * is work that takes as long as it takes (OPS97). Newer versions have limits that older ones lack.
 */
export async function withoutLimits(tx: postgres.TransactionSql): Promise<void> {
  await tx`
    select set_config(name, '0', true) from pg_settings
    where name in ('statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout')`;
}

async function lock(tx: postgres.TransactionSql): Promise<void> {
  await withoutLimits(tx);
  await tx`select pg_advisory_xact_lock(${migrationLock})`;
}
