// What the machine can do at most with the same rows: the real tables with all their indexes, rows
// that were computed before the clock starts, one process, nothing but the driver.
import Sqlite from "better-sqlite3";
import postgres from "postgres";
import {
  bucketOf,
  compactState,
  recordDigest,
  registersOfOp,
  valueHash,
  type JsonValue,
  type LiveRecord,
  type RecordId,
  type WriterId,
} from "../../packages/protocol/src/index.ts";
import { sha256 } from "../../apps/client/src/platform/hash.ts";
import { migrate as migrateClient } from "../../apps/client/src/store/migrate.ts";
import { migrations as clientMigrations } from "../../apps/client/src/store/migrations/index.ts";
import { openDatabase } from "../../apps/client/src/store/sqlite.ts";
import { startEmbeddedPostgres } from "../../apps/server/src/platform/embedded-postgres/embedded-postgres.ts";
import { postgresTarget } from "../../apps/server/src/postgres-target.ts";
import { migrate as migrateServer } from "../../apps/server/src/store/postgres/migrate.ts";
import { secondsSince } from "../measure/numbers.ts";
import { treeCpu } from "../measure/processes.ts";
import { serverParts } from "./server-parts.ts";
import type { GeneratedObservation } from "./observations.ts";

/** What a limit took. */
export interface Spent {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
}

/** What PostgreSQL took, with the batch size that was best. */
export interface SpentByPostgres extends Spent {
  readonly batch: number;
}

const batches = [500, 1000, 2000];
const rowsPerPage = 1000;
/** Who wrote what no device wrote. */
const writer = "benchwriter" as WriterId;

/** The best of several batch sizes; each starts from empty tables. */
export async function rawPostgres(
  dataDir: string,
  observations: readonly GeneratedObservation[],
): Promise<SpentByPostgres> {
  const started = await startEmbeddedPostgres(serverParts(), { dataDir });
  if (!started.ok) throw new Error(started.error.message);
  try {
    await migrateServer(started.value.adminUrl);
    const columns = serverColumns(observations.map(recordOf));
    let best: SpentByPostgres | undefined;
    for (const batch of batches) {
      const spent = await upsertAll(started.value.adminUrl, columns, batch);
      if (best === undefined || spent.wallSeconds < best.wallSeconds) best = { ...spent, batch };
    }
    if (best === undefined) throw new Error("no batch size was tried");
    return best;
  } finally {
    await started.value.stop();
  }
}

type Columns = Readonly<Record<string, readonly (string | null)[]>>;

const types: Readonly<Record<string, string>> = {
  seq: "bigint",
  lamport: "bigint",
  at: "bigint",
  bucket: "smallint",
  digest: "bigint",
  bytes: "integer",
};

async function upsertAll(url: string, columns: Columns, batch: number): Promise<Spent> {
  const target = postgresTarget(url);
  const sql = postgres(target.url, { ...target.options, max: 1, onnotice: () => {} });
  try {
    await sql`truncate tidemark.records`;
    await sql`checkpoint`;
    const names = Object.keys(columns);
    const casts = names.map((name) =>
      types[name] === undefined ? name : `${name}::${types[name]}`,
    );
    const statement = `
      insert into tidemark.records (namespace_id, forgotten, ${names.join(", ")})
      select 'bench', false, ${casts.join(", ")}
      from unnest(${names.map((_, index) => `$${index + 1}::text[]`).join(", ")})
        as t (${names.join(", ")})
      on conflict (namespace_id, id) do update set seq = excluded.seq, fields = excluded.fields,
        lamport = excluded.lamport, writer = excluded.writer, at = excluded.at,
        digest = excluded.digest, bytes = excluded.bytes`;
    const count = columns["id"]?.length ?? 0;
    const cpuBefore = cpuOfAll();
    const started = process.hrtime.bigint();
    for (let from = 0; from < count; from += batch) {
      const part = names.map((name) => (columns[name] ?? []).slice(from, from + batch));
      await sql.begin(async (tx) => {
        await tx.unsafe(statement, part as never[], { prepare: true });
      });
    }
    return { wallSeconds: secondsSince(started), cpuSeconds: cpuOfAll() - cpuBefore };
  } finally {
    await sql.end();
  }
}

function cpuOfAll(): number {
  const { root, below } = treeCpu(process.pid);
  return root + below;
}

/** The record of the observation at a place: its lamport is its seq and its row in the index. */
export function recordOf({ id, fields }: GeneratedObservation, index: number): LiveRecord {
  const op = {
    n: index + 1,
    record: id as RecordId,
    collection: "observation",
    lamport: index + 1,
    at: 1_795_000_000_000 + index,
    op: "put",
    fields,
  } as const;
  return {
    id: op.record,
    collection: op.collection,
    registers: registersOfOp(op as never, writer),
  };
}

function serverColumns(records: readonly LiveRecord[]): Columns {
  const rows = records.map((record, index) => {
    const fields = fieldsOf(record);
    return {
      id: record.id,
      collection: record.collection,
      seq: String(index + 1),
      lamport: String(index + 1),
      writer,
      at: String(1_795_000_000_000 + index),
      fields,
      bucket: String(bucketOf(record.id)),
      digest: String(BigInt.asIntN(64, BigInt(`0x${recordDigest(sha256, record)}`))),
      bytes: String(Buffer.byteLength(fields)),
      author: "benchuser",
    };
  });
  const names = Object.keys(rows[0] ?? {}) as (keyof (typeof rows)[number])[];
  return Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name])]));
}

/** A record's fields as both stores keep them. */
function fieldsOf(record: LiveRecord): string {
  const compact = compactState(record);
  return "fields" in compact ? JSON.stringify(compact.fields) : "{}";
}

/**
 * What SQLite can take on this disk: the client's own tables with every index and the full-text
 * index, WAL, synchronous FULL, 1,000 rows a transaction, straight through the driver.
 */
export function rawSqlite(path: string, observations: readonly GeneratedObservation[]): Spent {
  const made = openDatabase({ path, busyTimeoutMs: 1000 });
  migrateClient(made, clientMigrations);
  made.close();
  const db = new Sqlite(path);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  const rows = observations.map((each, index) => clientRows("bench", recordOf(each, index)));
  const insertPage = pageInserter(db);
  const cpuBefore = process.cpuUsage();
  const started = process.hrtime.bigint();
  for (let from = 0; from < rows.length; from += rowsPerPage) {
    insertPage(rows.slice(from, from + rowsPerPage));
  }
  const wallSeconds = secondsSince(started);
  const { user, system } = process.cpuUsage(cpuBefore);
  db.close();
  return { wallSeconds, cpuSeconds: (user + system) / 1e6 };
}

/** Writes rows of the client's tables, each call one transaction. */
export function pageInserter(db: Sqlite.Database): (page: readonly ClientRows[]) => void {
  const record = db.prepare(
    `INSERT INTO records (namespace, id, collection, parent, seq, lamport, writer, at, fields,
       clocks, forgotten, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const row = db.prepare(
    `INSERT INTO observations (id, namespace, record, kind, project, session, origin, pinned,
       archived, superseded_by, text_hash, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const search = db.prepare("INSERT INTO search (rowid, title, text, tags) VALUES (?, ?, ?, ?)");
  const insert = db.transaction((page: readonly ClientRows[]) => {
    for (const each of page) {
      record.run(...each.record);
      row.run(...each.observation);
      search.run(...each.search);
    }
  });
  return (page) => {
    insert.immediate(page);
  };
}

type Value = string | number | null;

/** What the client's tables hold of one observation. */
export interface ClientRows {
  readonly record: readonly Value[];
  readonly observation: readonly Value[];
  readonly search: readonly Value[];
}

/** Gives the rows of a record that stands at `seq`; the digest may be known already. */
export function clientRows(
  namespace: string,
  record: LiveRecord,
  digest = recordDigest(sha256, record),
): ClientRows {
  const value = (field: string): JsonValue => record.registers[field]?.value ?? null;
  const word = (field: string): string => value(field) as string;
  const texts = (field: string): readonly string[] => value(field) as readonly string[];
  const { lamport } = record.registers["title"]?.clock ?? { lamport: 0 };
  const at = Number(value("createdAt"));
  const title = word("title");
  const text = [word("narrative"), ...texts("facts")].join("\n");
  const kind = word("kind");
  const project = word("project");
  const tags = [kind, ...texts("concepts"), ...texts("filesModified"), project].join("\n");
  const head: Value[] = [namespace, record.id, "observation", null, lamport, lamport, writer, at];
  const hash = valueHash(sha256, [title, text, tags]);
  const row: Value[] = [lamport, namespace, record.id, kind, project, null];
  return {
    record: [...head, fieldsOf(record), null, 0, digest],
    observation: [...row, "user", 0, 0, null, hash, at],
    search: [lamport, title, text, tags],
  };
}
