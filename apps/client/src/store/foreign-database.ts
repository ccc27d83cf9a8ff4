import Sqlite from "better-sqlite3";
import { fail, ok, type Result } from "@tidemark/protocol";
import { keepMade } from "./driver-made.ts";

/** A database of another program, open to be read. */
export interface ForeignDatabase {
  readonly tables: ReadonlySet<string>;
  /**
   * The rows of a table in the order they were made, one by one. Ends where the file is damaged, and
   * says so to `damaged`.
   */
  rows(table: string, damaged: () => void): Iterable<Readonly<Record<string, unknown>>>;
  close(): void;
}

/**
 * Opens a copy of another program's database: reading the original would leave files beside it. Gives
 * the reason where it is no database, or one that cannot be read.
 */
export function openForeignDatabase(
  copy: string,
  nativeBinding: string | undefined,
): Result<ForeignDatabase, string> {
  try {
    const db = keepMade(
      new Sqlite(copy, {
        readonly: true,
        fileMustExist: true,
        ...(nativeBinding === undefined ? {} : { nativeBinding }),
      }),
    );
    // Nothing that the file brings along is run: no function, no virtual table of an extension.
    db.exec("PRAGMA trusted_schema = OFF");
    const listed = prepare(db, "SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all();
    return ok({
      tables: new Set(listed as readonly string[]),
      rows: (table, damaged) => rowsOf(db, table, damaged),
      close: () => {
        db.close();
      },
    });
  } catch (error) {
    return fail(reasonOf(error));
  }
}

function* rowsOf(
  db: Sqlite.Database,
  table: string,
  damaged: () => void,
): Iterable<Readonly<Record<string, unknown>>> {
  try {
    const listed = prepare(db, "SELECT name FROM pragma_table_info(?)").pluck().all(table);
    const columns = (listed as readonly string[]).map((name) => quoted(name)).join(", ");
    if (columns === "") return;
    const rows = prepare(db, `SELECT ${columns} FROM ${quoted(table)} ORDER BY rowid`);
    for (const row of keepMade(rows.iterate())) yield row as Readonly<Record<string, unknown>>;
  } catch (error) {
    // A bug of ours has no code.
    if (!(error instanceof Sqlite.SqliteError)) throw error;
    damaged();
  }
}

function prepare(db: Sqlite.Database, sql: string): Sqlite.Statement {
  return keepMade(db.prepare(sql));
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Sqlite.SqliteError)) throw error;
  return error.code === "SQLITE_NOTADB" ? "it is no database" : `SQLite says ${error.code}`;
}
