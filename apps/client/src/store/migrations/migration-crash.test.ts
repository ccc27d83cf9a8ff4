import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { migrate } from "../migrate.ts";
import { schemaOf } from "../repair/examine.ts";
import { openDatabase, type Database } from "../sqlite.ts";
import { memoryFolder } from "../testing/damage.ts";
import { fillTables, rowsOf, statementsOf, steppedDatabase, tablesOf } from "../testing/migration-steps.ts";
import { migrations } from "./index.ts";

class Crash extends Error {}

/** A database at a number of migrations; `:memory:` where no path is named. */
function databaseAt(count: number, path = ":memory:"): Database {
  const db = openDatabase({ path, busyTimeoutMs: 100 });
  migrate(db, migrations.slice(0, count));
  return db;
}

/** Runs the migrations and dies behind a step; false where they were over before. */
function dieBehind(db: Database, step: number): boolean {
  let steps = 0;
  const stepped = steppedDatabase(db, () => {
    steps += 1;
    if (steps === step) throw new Crash();
  });
  try {
    migrate(stepped, migrations);
    return false;
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
    return true;
  }
}

const schemas: readonly string[] = [...migrations, undefined].map((_, count) => {
  const db = databaseAt(count);
  const schema = schemaOf(db);
  db.close();
  return schema;
});

/** Holds that the rows of an older schema are there, whatever was added to them and beside them. */
function expectRows(
  db: Database,
  before: Readonly<Record<string, readonly string[]>>,
  columns: ReturnType<typeof tablesOf>,
): void {
  const now = rowsOf(db, columns);
  for (const [table, rows] of Object.entries(before)) {
    expect(rows.filter((row) => !(now[table] ?? []).includes(row))).toEqual([]);
  }
}

test("[ST19] every schema that was ever current is one of its own", () => {
  expect(new Set(schemas).size).toBeGreaterThan(1);
  expect(migrations.every(({ sql }) => statementsOf(sql).length > 0)).toBe(true);
});

test.each(schemas.map((_, count) => count))(
  "[ST19] from schema %i the present one is reached, with every row that was there",
  (count) => {
    const db = databaseAt(count);
    fillTables(db);
    const columns = tablesOf(db);
    const before = rowsOf(db);
    migrate(db, migrations);
    expect(db.pragma("user_version")).toBe(migrations.length);
    expect(schemaOf(db)).toBe(schemas.at(-1));
    expectRows(db, before, columns);
    expect(db.pragma("integrity_check")).toBe("ok");
    db.close();
  },
);

test.each(schemas.slice(0, -1).map((_, count) => count))(
  "[ST19] a process that dies behind any statement of a migration from schema %i leaves a whole one",
  (count) => {
    const total = migrations.slice(count).reduce((sum, { sql }) => sum + statementsOf(sql).length + 1, 0);
    let deaths = 0;
    for (let step = 1; step <= total; step += 1) {
      const folder = memoryFolder();
      const at = join(folder, "tidemark.db");
      const db = databaseAt(count, at);
      fillTables(db);
      const columns = tablesOf(db);
      const before = rowsOf(db);
      expect(dieBehind(db, step)).toBe(true);
      deaths += 1;
      db.close();
      const again = openDatabase({ path: at, busyTimeoutMs: 100 });
      const version = Number(again.pragma("user_version"));
      expect(schemaOf(again)).toBe(schemas[version]);
      expectRows(again, before, columns);
      migrate(again, migrations);
      expect(schemaOf(again)).toBe(schemas.at(-1));
      expectRows(again, before, columns);
      expect(again.pragma("integrity_check")).toBe("ok");
      again.close();
      rmSync(folder, { recursive: true, force: true });
    }
    expect(deaths).toBe(total);
  },
);
