import type { Readable } from "node:stream";
import type postgres from "postgres";
import { unknownMigrations } from "../migrate.ts";
import { ownerSession, withoutLimits } from "../owner-session.ts";
import type { BackupHeader, TableStart } from "./archive.ts";
import { columnList, quoteName } from "./names.ts";

/** Where a backup goes. */
export interface BackupSink {
  header(header: BackupHeader): Promise<void>;
  table(start: TableStart): Promise<void>;
  rows(bytes: Uint8Array): Promise<void>;
  tableEnd(): Promise<void>;
}

/** How much a backup holds. */
export interface BackupCounts {
  readonly namespaces: number;
  readonly records: number;
}

/** What was written, and of which server. */
export interface Dumped extends BackupCounts {
  readonly serverId: string;
  /** Migrations of a later version that its tables have behind them: this one cannot restore it. */
  readonly later: readonly string[];
}

interface TableFacts {
  readonly name: string;
  /** Row-level security shows its rows one namespace at a time, even to the owner. */
  readonly isWalled: boolean;
  readonly columns: string;
}

/**
 * Writes every table as one moment shows it (OPS80), while others read and write: one transaction
 * that sees one snapshot and locks nobody out.
 *
 * The owner's login suffices: rows behind the second wall are read namespace by namespace, with the
 * door's own setting, rather than by a role that passes row-level security.
 *
 * @returns nothing where the database holds no server
 */
export async function dumpDatabase(
  url: string,
  sink: BackupSink,
  facts: Pick<BackupHeader, "program" | "takenAtMs">,
): Promise<Dumped | undefined> {
  const sql = ownerSession(url);
  try {
    return await sql.begin("isolation level repeatable read read only", async (tx) => {
      await withoutLimits(tx);
      const server = await readServer(tx);
      if (server === undefined) return undefined;
      await sink.header({ format: "tidemark-backup", version: 1, ...facts, ...server });
      const counts = await dumpTables(tx, sink);
      const later = unknownMigrations(server.migrations);
      return { ...counts, serverId: server.serverId, later };
    });
  } finally {
    await sql.end({ timeout: 5 });
  }
}

type ServerFacts = Pick<BackupHeader, "serverId" | "isClaimed" | "postgres" | "migrations">;

async function readServer(tx: postgres.TransactionSql): Promise<ServerFacts | undefined> {
  const [found] = await tx<{ there: boolean }[]>`
    select to_regclass('tidemark.server') is not null as there`;
  if (found?.there !== true) return undefined;
  const [server] = await tx<Omit<ServerFacts, "migrations">[]>`
    select id as "serverId", claimed_at_ms is not null as "isClaimed",
      current_setting('server_version_num')::int as postgres
    from tidemark.server`;
  const ids = await tx<{ id: string }[]>`select id from tidemark.migrations order by id`;
  return server && { ...server, migrations: ids.map(({ id }) => id) };
}

async function dumpTables(tx: postgres.TransactionSql, sink: BackupSink): Promise<BackupCounts> {
  const namespaces = await tx<{ id: string }[]>`
    select namespace_id as id from tidemark.namespaces order by namespace_id`;
  let records = 0;
  for (const table of await readTables(tx)) {
    const { name, isWalled, columns } = table;
    await sink.table({ table: name, columns: columns.split(",") });
    if (!isWalled) await copyOut(tx, sink, table);
    for (const { id } of isWalled ? namespaces : []) {
      await tx`select set_config('tidemark.namespace_id', ${id}, true)`;
      await copyOut(tx, sink, table);
      if (name === "records") records += await countRecords(tx, id);
    }
    await sink.tableEnd();
  }
  return { namespaces: namespaces.length, records };
}

/** All tables but the migrations', those that others refer to first. */
async function readTables(tx: postgres.TransactionSql): Promise<readonly TableFacts[]> {
  return await tx<TableFacts[]>`
    select c.relname as name, c.relforcerowsecurity as "isWalled",
      (select string_agg(a.attname, ',' order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
          and a.attgenerated = '') as columns
    from pg_class c
    where c.relnamespace = 'tidemark'::regnamespace and c.relkind = 'r'
      and c.relname <> 'migrations'
    order by exists (select 1 from pg_constraint f where f.conrelid = c.oid and f.contype = 'f'),
      c.relname`;
}

/** Sends a table's rows on; of a walled one those of the namespace that is set. */
async function copyOut(
  tx: postgres.TransactionSql,
  sink: BackupSink,
  { name, columns, isWalled }: TableFacts,
): Promise<void> {
  // Said beside the policy, for whoever passes row-level security would copy the rows of all.
  const where = isWalled ? " where namespace_id = current_setting('tidemark.namespace_id')" : "";
  const query = `select ${columnList(columns.split(","))} from tidemark.${quoteName(name)}${where}`;
  const rows = await tx.unsafe(`copy (${query}) to stdout`).readable();
  try {
    const chunks: AsyncIterable<Uint8Array> = rows.iterator({ destroyOnReturn: false });
    for await (const chunk of chunks) await sink.rows(chunk);
  } finally {
    letGo(rows);
  }
}

/**
 * Lets the connection go on behind a COPY. The driver pauses it where much of the rows waits, and
 * resumes it when more of them is asked for; of what has ended nothing is, and then what follows the
 * rows would never be read, an answer or a rollback. What nobody takes any more is thrown away.
 */
function letGo(rows: Readable): void {
  const resume = (): void => {
    rows._read(0);
  };
  if (rows.readableEnded) resume();
  else rows.once("end", resume).resume();
}

async function countRecords(tx: postgres.TransactionSql, namespace: string): Promise<number> {
  const [counted] = await tx<{ count: number }[]>`
    select count(*)::int as count from tidemark.records where namespace_id = ${namespace}`;
  return counted?.count ?? 0;
}
