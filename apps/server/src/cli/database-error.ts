import { StoreUnavailable } from "../store/store-unavailable.ts";
import { UserError } from "./user-error.ts";

/** Codes of a connection that was never made, from Node and from postgres.js. */
const connectionCodes = new Set([
  "ECONNREFUSED",
  "ENOENT",
  "ENOTFOUND",
  "ETIMEDOUT",
  "CONNECT_TIMEOUT",
]);

/** What a database said, as something the operator can act on; undefined for other causes. */
export function databaseError(cause: unknown): UserError | undefined {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (connectionCodes.has(code) || cause instanceof StoreUnavailable) {
    return new UserError({
      code: "database-unavailable",
      message: "the database does not answer",
      hint: "check that PostgreSQL runs and that DATABASE_URL is right",
    });
  }
  // SQLSTATE class 28: invalid authorization; 3D000: no such database.
  if (code.startsWith("28") || code === "3D000") {
    return new UserError({
      code: "database-refused",
      message: `the database refused the connection (${code})`,
      hint: "check user, password and database name in DATABASE_URL",
    });
  }
  return undefined;
}
