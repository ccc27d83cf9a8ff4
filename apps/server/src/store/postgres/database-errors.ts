/** The network's own word that nothing comes through, for a connection or for the making of one. */
const networkCodes = ["EHOSTUNREACH", "ENETUNREACH", "EHOSTDOWN", "ENETDOWN", "ECONNABORTED"];

const connectionCodes: ReadonlySet<string> = new Set([
  ...networkCodes,
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "CONNECTION_SILENT",
  "CONNECT_TIMEOUT",
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EPIPE",
  "ETIMEDOUT",
  "EADDRNOTAVAIL",
]);

/** 40001 serialization failure, 40P01 deadlock. */
const raceCodes: ReadonlySet<string> = new Set(["40001", "40P01"]);
const duplicateCode = "23505";

/** 08 connection, 53 out of resources, 55P03 lock timeout, 57 stopped or timed out, 25006 a standby. */
const awayPattern = /^(?:08...|53...|55P03|57...|25006|25P03)$/;

/**
 * 22 a value that its type cannot hold, 23 a constraint, 54 a limit of PostgreSQL such as the length
 * of what an index holds, P0001 a trigger's own no. (23505, a duplicate, is judged before.)
 */
const refusedPattern = /^(?:22...|23...|54...|P0001)$/;

/** What a failed transaction means. */
export type DatabaseVerdict = "retry-now" | "duplicate" | "unavailable" | "refused" | "bug";

/** Judges an error that postgres.js threw. */
export function judgeDatabaseError(error: unknown): DatabaseVerdict {
  const code = codeOf(error);
  if (code === undefined) return "bug";
  if (raceCodes.has(code)) return "retry-now";
  if (code === duplicateCode) return "duplicate";
  if (refusedPattern.test(code)) return "refused";
  return connectionCodes.has(code) || awayPattern.test(code) ? "unavailable" : "bug";
}

const lostCodes: ReadonlySet<string> = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_DESTROYED",
  "CONNECTION_SILENT",
  "CONNECT_TIMEOUT",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
]);

/** 08 connection, 57P0x the server ended it, 25P03 idle for too long: all fatal. (08P01 is not.) */
const lostPattern = /^(?:08\d{3}|57P0[125]|25P03)$/;

/** Whether the connection that an error came from is gone, so that nothing may be sent on it. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
  if (code === undefined) return false;
  return lostCodes.has(code) || lostPattern.test(code) || isCutByNetwork(error, code);
}

/** Where TCP gives a connection up it says what the network said last; one that was not made is no loss. */
function isCutByNetwork(error: unknown, code: string): boolean {
  if (!networkCodes.includes(code) || !(error instanceof Error)) return false;
  return "syscall" in error && error.syscall !== "connect";
}

/** Whether the database takes no writes, as a standby does; its connection is whole. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === "25006";
}

/** The SQLSTATE of an error, or what a lost connection is called. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
