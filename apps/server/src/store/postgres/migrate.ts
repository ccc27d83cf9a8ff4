import type postgres from "postgres";
import { migrations, type Migration } from "./migrations/index.ts";
import { ownerSession, withoutLimits } from "./owner-session.ts";

/** Holds off a second server that starts at the same time. Migrating is not the write path. */
const migrationLock = 7_461_964_107;

/** The role that serves requests: it owns nothing and is bound by row-level security. */
const appRole = "tidemark_app";

/** What came of migrating, by ids. */
export interface Migrated {
  readonly applied: readonly string[];
  /** What a later version has applied. It is served as far as it is known, so that an update can be taken back (OPS94). */
  readonly later: readonly string[];
}

/**
 * Brings the schema up to date (PG1).
 *
 * Safe to run at any time and from several servers at once: each migration is one transaction with
 * its entry in the version table. Run it with the owner's connection string; where a role
 * `tidemark_app` exists it is given SELECT, INSERT, UPDATE and DELETE, and nothing more (PG2).
 */
export async function migrate(url: string): Promise<Migrated> {
  const sql = ownerSession(url);
  try {
    await sql.begin(prepareVersions);
    const applied: string[] = [];
    for (const migration of migrations) {
      const isNew = await sql.begin((tx) => applyOnce(tx, migration));
      if (isNew) applied.push(migration.id);
    }
    await sql.begin(grantToApp);
    return { applied, later: unknownMigrations(await appliedMigrations(sql)) };
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Those of applied migrations that a later version made, and this one does not know. */
export function unknownMigrations(ids: readonly string[]): readonly string[] {
  const known = new Set(migrations.map(({ id }) => id));
  return ids.filter((id) => !known.has(id));
}

async function appliedMigrations(sql: postgres.Sql): Promise<readonly string[]> {
  const rows = await sql<{ id: string }[]>`select id from tidemark.migrations order by id`;
  return rows.map(({ id }) => id);
}

/** Makes the version table, under the lock that migrating takes. */
export async function prepareVersions(tx: postgres.TransactionSql): Promise<void> {
  await lockVersions(tx);
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
  await lockVersions(tx);
  const found = await tx`select 1 from tidemark.migrations where id = ${migration.id}`;
  if (found.length > 0) return false;
  await tx.unsafe(migration.sql);
  await tx`insert into tidemark.migrations (id) values (${migration.id})`;
  return true;
}

async function grantToApp(tx: postgres.TransactionSql): Promise<void> {
  await lockVersions(tx);
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

/** The lock under which tables are changed; no time ends what is done under it. */
export async function lockVersions(tx: postgres.TransactionSql): Promise<void> {
  await withoutLimits(tx);
  await tx`select pg_advisory_xact_lock(${migrationLock})`;
}
