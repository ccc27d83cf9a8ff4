import Sqlite from "better-sqlite3";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test, vi } from "vitest";
import { openDatabase } from "./sqlite.ts";

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

/** Uses a database and lets go of it; gives what the driver made. */
function use(): readonly WeakRef<object>[] {
  const made: WeakRef<object>[] = [];
  // oxlint-disable-next-line typescript/unbound-method -- it is called with the connection
  const { prepare } = Sqlite.prototype;
  const spy = vi.spyOn(Sqlite.prototype, "prepare").mockImplementation(function (
    this: Sqlite.Database,
    sql: string,
  ) {
    const statement = prepare.call(this, sql);
    made.push(new WeakRef(statement), new WeakRef(this));
    return statement;
  });
  const database = openDatabase({ path: ":memory:", busyTimeoutMs: 10 });
  database.run("CREATE TABLE t (x)");
  database.transact(() => database.run("INSERT INTO t VALUES (?1 + ?1)", 1));
  database.close();
  spy.mockRestore();
  return made;
}

test("[ST22] nothing that the driver made is collected, also when the connection is closed", async () => {
  const made = use();
  expect(made.length).toBeGreaterThan(20);
  // A WeakRef keeps what it names until the task ends that made it.
  await new Promise((resolve) => setTimeout(resolve, 5));
  collectGarbage();
  expect(made.filter((ref) => ref.deref() === undefined)).toEqual([]);
});

test("[ST22] a pragma is read as often as asked, and makes one statement", () => {
  const database = openDatabase({ path: ":memory:", busyTimeoutMs: 10 });
  const spy = vi.spyOn(Sqlite.prototype, "prepare");
  expect(database.pragma("user_version = 7")).toBeNull();
  for (let time = 0; time < 3; time += 1) expect(database.pragma("user_version")).toBe(7);
  expect(spy).toHaveBeenCalledTimes(2);
  spy.mockRestore();
  database.close();
});
