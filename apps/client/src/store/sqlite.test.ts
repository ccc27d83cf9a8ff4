import Sqlite from "better-sqlite3";
import { expect, test, vi } from "vitest";
import { openDatabase } from "./sqlite.ts";

test("[ST22] a pragma is read as often as asked, and makes one statement", () => {
  const database = openDatabase({ path: ":memory:", busyTimeoutMs: 10 });
  const spy = vi.spyOn(Sqlite.prototype, "prepare");
  expect(database.pragma("user_version = 7")).toBeNull();
  for (let time = 0; time < 3; time += 1) expect(database.pragma("user_version")).toBe(7);
  expect(spy).toHaveBeenCalledTimes(2);
  spy.mockRestore();
  database.close();
});
