import type { Bound, Database } from "../sqlite.ts";

/** A database that calls `after` behind each statement of a script and each change of the version. */
export function steppedDatabase(db: Database, after: () => void): Database {
  return {
    ...db,
    exec: (sql) => {
      for (const statement of statementsOf(sql)) {
        db.exec(statement);
        after();
      }
    },
    pragma: (name) => {
      const value = db.pragma(name);
      if (name.includes("=")) after();
      return value;
    },
  };
}

/** The statements of a script; one that holds others, as a trigger does, stays whole. */
export function statementsOf(sql: string): readonly string[] {
  const statements: string[] = [];
  let open = "";
  for (const part of sql.replaceAll("--> statement-breakpoint", "").split(";")) {
    open += part;
    const text = open.replaceAll(/--.*$/gm, "").trim();
    if (text === "") continue;
    const isTrigger = /^CREATE\s+(?:TEMP\w*\s+)?TRIGGER/i.test(text);
    const isWhole = !isTrigger || /\bEND$/i.test(text);
    open += ";";
    if (!isWhole) continue;
    statements.push(open);
    open = "";
  }
  return statements;
}

/** A column as SQLite tells it. */
interface Column {
  readonly name: string;
  readonly type: string;
  readonly pk: number;
}

/** Ordinary tables of a schema, with their columns. */
export function tablesOf(db: Database): ReadonlyMap<string, readonly Column[]> {
  const names = db.all<{ name: string }>(
    `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
     AND name NOT LIKE 'sqlite_%' ORDER BY name`,
  );
  return new Map(
    names.map(({ name }) => [
      name,
      db.all<Column>("SELECT name, type, pk FROM pragma_table_info(?)", name),
    ]),
  );
}

/** Puts rows into every table, whatever its columns are. */
export function fillTables(db: Database): void {
  for (const [table, columns] of tablesOf(db)) {
    for (const n of [1, 2, 3]) {
      const names = columns.map(({ name }) => `"${name}"`).join(", ");
      const marks = columns.map(() => "?").join(", ");
      const values = columns.map(({ name, type }) => fillerOf(name, type, n));
      db.run(`INSERT INTO "${table}" (${names}) VALUES (${marks})`, ...values);
    }
  }
}

function fillerOf(name: string, type: string, n: number): Bound {
  return /int/i.test(type) ? 100 + n : `filled ${name} ${String(n)}`;
}

/** All rows of every table, as text by table and column. */
export function rowsOf(
  db: Database,
  columns: ReadonlyMap<string, readonly Column[]> = tablesOf(db),
): Readonly<Record<string, readonly string[]>> {
  const rows: Record<string, readonly string[]> = {};
  for (const [table, own] of columns) {
    const names = own.map(({ name }) => `"${name}"`).join(", ");
    rows[table] = db
      .all<object>(`SELECT ${names} FROM "${table}"`)
      .map((row) => JSON.stringify(row))
      .toSorted();
  }
  return rows;
}
