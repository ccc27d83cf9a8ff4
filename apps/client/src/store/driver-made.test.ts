import Sqlite from "better-sqlite3";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, expect, test, vi } from "vitest";
import { openForeignDatabase } from "./foreign-database.ts";
import { openDatabase } from "./sqlite.ts";

const folder = mkdtempSync(join(tmpdir(), "tidemark-driver-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

/** Uses a database and lets go of it; gives what the driver made. */
function madeBy(use: () => void): readonly WeakRef<object>[] {
  const made: WeakRef<object>[] = [];
  // oxlint-disable-next-line typescript/unbound-method -- it is called with the connection
  const { prepare } = Sqlite.prototype;
  const spy = vi.spyOn(Sqlite.prototype, "prepare").mockImplementation(function (
    this: Sqlite.Database,
    sql: string,
  ) {
    const statement = prepare.call(this, sql) as Sqlite.Statement;
    const iterate = statement.iterate.bind(statement);
    statement.iterate = (...values) => {
      const rows = iterate(...values);
      made.push(new WeakRef(rows));
      return rows;
    };
    made.push(new WeakRef(statement), new WeakRef(this));
    return statement;
  });
  use();
  spy.mockRestore();
  return made;
}

async function collected(made: readonly WeakRef<object>[]): Promise<number> {
  // A WeakRef keeps what it names until the task ends that made it.
  await new Promise((resolve) => setTimeout(resolve, 5));
  collectGarbage();
  return made.filter((ref) => ref.deref() === undefined).length;
}

test("[ST22] nothing that the driver made is collected, also when the connection is closed", async () => {
  const made = madeBy(() => {
    const database = openDatabase({ path: ":memory:", busyTimeoutMs: 10 });
    database.run("CREATE TABLE t (x)");
    database.transact(() => database.run("INSERT INTO t VALUES (?1 + ?1)", 1));
    database.close();
  });
  expect(made.length).toBeGreaterThan(20);
  expect(await collected(made)).toBe(0);
});

test("[ST22] nor is what it made to read another program's database", async () => {
  const path = join(folder, "other.db");
  const database = openDatabase({ path, busyTimeoutMs: 10 });
  database.exec("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2)");
  database.close();
  const made = madeBy(() => {
    const opened = openForeignDatabase(path, undefined);
    if (!opened.ok) throw new Error(opened.error);
    expect([...opened.value.rows("t", () => undefined)]).toEqual([{ x: 1 }, { x: 2 }]);
    opened.value.close();
  });
  expect(made.length).toBe(7);
  expect(await collected(made)).toBe(0);
});

test("[ST22] what nobody keeps is collected, which is how this is known", async () => {
  const made = madeBy(() => {
    const database = new Sqlite(":memory:");
    database.prepare("SELECT 1").get();
    database.close();
  });
  expect(await collected(made)).toBe(2);
});
