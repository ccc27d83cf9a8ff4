import { finished } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import { fail, ok, type Result } from "@tidemark/protocol";
import type postgres from "postgres";
import { serverConnection } from "../../../server-connection.ts";
import { applyOnce, lockVersions, prepareVersions } from "../migrate.ts";
import { migrations, type Migration } from "../migrations/index.ts";
import { ownerSession } from "../owner-session.ts";
import type { BackupHeader, BackupPart, TableStart } from "./archive.ts";
import { columnList, quoteName } from "./names.ts";

/** Why a backup was not restored; nothing was changed. */
export type RestoreRefusal = "newer-tables" | "in-use" | "not-empty";

/** Rows of a whole backup that this PostgreSQL does not take, as one of another encoding. */
export class RowsRefused extends Error {
  constructor(table: string, cause: unknown) {
    super(`PostgreSQL refused rows of ${table}`, { cause });
    this.name = "RowsRefused";
  }
}

/** Longest wait for whoever holds a table, in milliseconds. */
const lockMsMax = 10_000;

/**
 * Puts a backup in the place of what the database holds, in one transaction: all of it or, where
 * anything fails, nothing (OPS81). The tables are made as they were when it was taken; `migrate`
 * brings them up to date afterwards.
 *
 * @param parts a whole backup, its header first; may throw, which undoes all
 */
export async function loadDatabase(
  url: string,
  parts: AsyncIterator<BackupPart>,
  options: { readonly mayReplace: boolean },
): Promise<Result<BackupHeader, RestoreRefusal>> {
  const sql = ownerSession(url);
  try {
    return await sql.begin(async (tx) => await load(tx, parts, options));
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function load(
  tx: postgres.TransactionSql,
  parts: AsyncIterator<BackupPart>,
  { mayReplace }: { readonly mayReplace: boolean },
): Promise<Result<BackupHeader, RestoreRefusal>> {
  const first = await parts.next();
  if (first.done === true || first.value.kind !== "header")
    throw new Error("no header comes first");
  const { header } = first.value;
  const behind = migrationsOf(header);
  if (behind === undefined) return fail("newer-tables");
  await tx`select set_config('lock_timeout', ${String(lockMsMax)}, true)`;
  // First of all: a server that starts takes this lock and then reads the tables.
  await lockVersions(tx);
  if (await isServed(tx)) return fail("in-use");
  if (!mayReplace && (await isFilled(tx))) return fail("not-empty");
  await tx.unsafe("drop schema if exists tidemark cascade");
  await prepareVersions(tx);
  for (const migration of behind) await applyOnce(tx, migration);
  await loadTables(tx, parts);
  await dropSigningKeys(tx);
  await dropConsoleKeys(tx);
  return ok(header);
}

/** The first migrations up to the backup's; undefined where it has one that is not known here. */
function migrationsOf({ migrations: ids }: BackupHeader): readonly Migration[] | undefined {
  const behind = migrations.slice(0, ids.length);
  const isKnown = behind.length === ids.length && behind.every(({ id }, at) => id === ids[at]);
  return isKnown ? behind : undefined;
}

/** Whether a server is connected; behind a pooler nobody can tell. */
async function isServed(tx: postgres.TransactionSql): Promise<boolean> {
  const found = await tx`
    select 1 from pg_stat_activity
    where datname = current_database() and application_name = ${serverConnection}`;
  return found.length > 0;
}

/** Whether a server with an owner lives here. */
async function isFilled(tx: postgres.TransactionSql): Promise<boolean> {
  const [found] = await tx<{ there: boolean }[]>`
    select to_regclass('tidemark.users') is not null as there`;
  if (found?.there !== true) return false;
  const users = await tx`select 1 from tidemark.users limit 1`;
  return users.length > 0;
}

async function loadTables(
  tx: postgres.TransactionSql,
  parts: AsyncIterator<BackupPart>,
): Promise<void> {
  const tables = await tx<{ name: string; isWalled: boolean }[]>`
    select relname as name, relforcerowsecurity as "isWalled" from pg_class
    where relnamespace = 'tidemark'::regnamespace and relkind = 'r' and relname <> 'migrations'`;
  const names = tables.map(({ name }) => `tidemark.${quoteName(name)}`);
  // Migrations may have put rows of their own into them.
  await tx.unsafe(`truncate ${names.join(", ")}`);
  for (;;) {
    const next = await parts.next();
    if (next.done === true) return;
    if (next.value.kind !== "table") throw new Error("rows without a table");
    const { start } = next.value;
    const isWalled = tables.find(({ name }) => name === start.table)?.isWalled ?? false;
    await loadTable(tx, parts, { start, isWalled });
  }
}

/** A key that was revoked since then would sign again: the server makes new ones (OPS95). */
async function dropSigningKeys(tx: postgres.TransactionSql): Promise<void> {
  await tx`delete from tidemark.signing_keys`;
}

/** Whoever signed out since then would be in again: people open the console anew (OPS127). */
async function dropConsoleKeys(tx: postgres.TransactionSql): Promise<void> {
  for (const table of ["tidemark.console_keys", "tidemark.oidc_flows"]) {
    // A backup of before the console has none.
    const [found] = await tx<{ there: boolean }[]>`
      select to_regclass(${table}) is not null as there`;
    if (found?.there === true) await tx.unsafe(`delete from ${table}`);
  }
}

/** PostgreSQL copies nothing into a table whose wall binds its owner; nobody else sees it open. */
async function loadTable(
  tx: postgres.TransactionSql,
  parts: AsyncIterator<BackupPart>,
  { start, isWalled }: { readonly start: TableStart; readonly isWalled: boolean },
): Promise<void> {
  const table = `tidemark.${quoteName(start.table)}`;
  if (isWalled) await tx.unsafe(`alter table ${table} no force row level security`);
  const stream = await tx
    .unsafe(`copy ${table} (${columnList(start.columns)}) from stdin`)
    .writable();
  const done = finished(stream, { readable: false });
  // Awaited in races.
  done.catch(() => {});
  try {
    await sendRows(parts, async (bytes) => await Promise.race([written(stream, bytes), done]));
  } catch (cause) {
    // An open COPY would have the rollback wait for ever.
    stream.destroy(cause instanceof Error ? cause : new Error(String(cause)));
    throw cause;
  }
  stream.end();
  await untilTaken(tx, done, start.table);
  if (isWalled) await tx.unsafe(`alter table ${table} force row level security`);
}

/**
 * postgres.js says nothing of rows that PostgreSQL refuses once all were sent; the transaction
 * does, to whoever asks it next. Asking is refused in turn until the end of the rows was sent.
 */
async function untilTaken(
  tx: postgres.TransactionSql,
  done: Promise<void>,
  table: string,
): Promise<void> {
  await setImmediate();
  try {
    await Promise.race([done, tx`select 1`.then(async () => await done)]);
  } catch (cause) {
    throw new RowsRefused(table, cause);
  }
}

async function written(stream: NodeJS.WritableStream, bytes: Uint8Array): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    stream.write(bytes, (cause) => {
      if (cause) reject(cause);
      else resolve();
    });
  });
}

async function sendRows(
  parts: AsyncIterator<BackupPart>,
  send: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  for (;;) {
    const next = await parts.next();
    if (next.done !== true && next.value.kind === "table-end") return;
    if (next.done === true || next.value.kind !== "rows") throw new Error("rows without an end");
    await send(next.value.bytes);
  }
}
