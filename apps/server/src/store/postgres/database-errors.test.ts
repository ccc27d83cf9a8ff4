import { expect, test } from "vitest";
import { isConnectionLost, judgeDatabaseError } from "./database-errors.ts";

test.each([
  ["40001", "retry-now"],
  ["40P01", "retry-now"],
  ["23505", "duplicate"],
  ["CONNECTION_CLOSED", "unavailable"],
  ["ECONNREFUSED", "unavailable"],
  ["ENETUNREACH", "unavailable"],
  ["ENETDOWN", "unavailable"],
  ["EHOSTDOWN", "unavailable"],
  ["ECONNABORTED", "unavailable"],
  ["EADDRNOTAVAIL", "unavailable"],
  ["08006", "unavailable"],
  ["55P03", "unavailable"],
  ["57014", "unavailable"],
  ["57P01", "unavailable"],
  ["53300", "unavailable"],
  ["25006", "unavailable"],
  ["42601", "bug"],
  ["42501", "bug"],
  ["22P02", "refused"],
  ["22021", "refused"],
  ["23514", "refused"],
  ["54000", "refused"],
  ["P0001", "refused"],
])("[PS11] %s means %s", (code, verdict) => {
  expect(judgeDatabaseError(Object.assign(new Error(code), { code }))).toBe(verdict);
});

test("an error without a code is a bug", () => {
  expect(judgeDatabaseError(new Error("plain"))).toBe("bug");
  expect(judgeDatabaseError(undefined)).toBe("bug");
  expect(judgeDatabaseError({ code: 7 })).toBe("bug");
});

// What TCP gives a connection up with is what the network said last, where it said anything.
test.each(["EHOSTUNREACH", "ENETUNREACH", "ENETDOWN", "EHOSTDOWN", "ECONNABORTED", "ETIMEDOUT"])(
  "[PG8] a connection that ends by %s is lost, and one that never began is not there to be lost",
  (code) => {
    const errorOf = (syscall: string): Error =>
      Object.assign(new Error(code), { code, errno: -113, syscall });
    expect(isConnectionLost(errorOf("read"))).toBe(true);
    expect(isConnectionLost(errorOf("write"))).toBe(true);
    expect(isConnectionLost(errorOf("connect"))).toBe(code === "ETIMEDOUT");
  },
);
