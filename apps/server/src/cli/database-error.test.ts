import { expect, test } from "vitest";
import { RowsRefused } from "../store/postgres/backup/load.ts";
import { StoreUnavailable } from "../store/store-unavailable.ts";
import { databaseError } from "./database-error.ts";

function failure(code: string): Error {
  return Object.assign(new Error("what PostgreSQL says"), { code });
}

test.each([
  ["53100", "disk is full", "df -h"],
  ["53200", "no memory", "its machine"],
  ["55P03", "another session holds a table", "pg_stat_activity"],
  ["57014", "ended a statement", "its log"],
  ["57P01", "does not answer", "PostgreSQL runs"],
  ["25006", "takes no writes", "default_transaction_read_only"],
])("[OPS96] %s is told as what it is, with what to do", (code, message, hint) => {
  for (const cause of [failure(code), new StoreUnavailable(failure(code))]) {
    const told = databaseError(cause);
    expect(told?.message).toContain(message);
    expect(told?.hint).toContain(hint);
  }
});

test("[OPS96] rows that are not taken for their encoding are no trouble of the database", () => {
  expect(databaseError(new RowsRefused("records", failure("22P05")))).toBeUndefined();
});
