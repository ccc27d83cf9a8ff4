import Database from "better-sqlite3";
import postgres from "postgres";
import type { GeneratedObservation } from "./observations.ts";

const rowsPerPush = 500;
const rowsPerPage = 1000;

/**
 * What the machine's PostgreSQL can take of the same rows: upserts by unnest, 500 a transaction,
 * straight from one process. Seconds.
 */
export async function rawPostgresSeconds(
  url: string,
  observations: readonly GeneratedObservation[],
): Promise<number> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await sql`CREATE TABLE raw_records (namespace_id text, id text, seq bigint, fields text, PRIMARY KEY (namespace_id, id))`;
    await sql`CREATE UNIQUE INDEX raw_records_seq ON raw_records (namespace_id, seq)`;
    const rows = observations.map(({ id, fields }) => [id, JSON.stringify(fields)] as const);
    const started = process.hrtime.bigint();
    for (let from = 0; from < rows.length; from += rowsPerPush) {
      const part = rows.slice(from, from + rowsPerPush);
      await sql.begin(async (tx) => {
        await tx`
          INSERT INTO raw_records (namespace_id, id, seq, fields)
          SELECT 'ns', id, seq, fields FROM unnest(
            ${part.map(([id]) => id)}::text[],
            ${part.map((_, index) => from + index + 1)}::bigint[],
            ${part.map(([, fields]) => fields)}::text[]) AS rows(id, seq, fields)
          ON CONFLICT (namespace_id, id) DO UPDATE SET seq = excluded.seq, fields = excluded.fields`;
      });
    }
    return secondsSince(started);
  } finally {
    await sql.end();
  }
}

/**
 * What SQLite can take of the same rows on this disk: WAL, synchronous FULL, the same kind of
 * tables and the same full-text index, 1,000 rows a transaction. Seconds.
 */
export function rawSqliteSeconds(
  path: string,
  observations: readonly GeneratedObservation[],
): number {
  const db = new Database(path);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  db.exec(`
    CREATE TABLE raw_records (namespace TEXT, id TEXT, seq INTEGER, fields TEXT, PRIMARY KEY (namespace, id));
    CREATE TABLE raw_observations (id INTEGER PRIMARY KEY, record TEXT UNIQUE, kind TEXT, created_at INTEGER);
    CREATE INDEX raw_observations_created ON raw_observations (created_at);
    CREATE VIRTUAL TABLE raw_search USING fts5(title, text, tags, content = '', contentless_delete = 1, tokenize = 'porter unicode61');`);
  const record = db.prepare("INSERT INTO raw_records VALUES ('ns', ?, ?, ?)");
  const row = db.prepare(
    "INSERT INTO raw_observations (record, kind, created_at) VALUES (?, ?, ?)",
  );
  const search = db.prepare(
    "INSERT INTO raw_search (rowid, title, text, tags) VALUES (?, ?, ?, ?)",
  );
  const insertPage = db.transaction((page: readonly GeneratedObservation[], from: number) => {
    for (const [index, { id, fields }] of page.entries()) {
      record.run(id, from + index, JSON.stringify(fields));
      const { lastInsertRowid } = row.run(id, fields["kind"], fields["createdAt"]);
      const { title, narrative, facts, concepts, filesModified } = fields;
      const text = [narrative, ...(facts as string[])].join("\n");
      const tags = [...(concepts as string[]), ...(filesModified as string[])].join("\n");
      search.run(lastInsertRowid, title, text, tags);
    }
  });
  const started = process.hrtime.bigint();
  for (let from = 0; from < observations.length; from += rowsPerPage) {
    insertPage.immediate(observations.slice(from, from + rowsPerPage), from);
  }
  const seconds = secondsSince(started);
  db.close();
  return seconds;
}

/** Seconds since a reading of `process.hrtime.bigint()`. */
export function secondsSince(started: bigint): number {
  return Number(process.hrtime.bigint() - started) / 1e9;
}
