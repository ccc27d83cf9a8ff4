import { StoreUnavailable } from "../store/store-unavailable.ts";
import { UserError } from "./user-error.ts";

interface Words {
  readonly message: string;
  readonly hint: string;
}

const away: Words = {
  message: "the database does not answer",
  hint: "check that PostgreSQL runs and that DATABASE_URL is right",
};
const unknownHost: Words = {
  message: "the database's host name is not known",
  hint: "check the host in DATABASE_URL",
};
const slow: Words = {
  message: "the database does not answer in time",
  hint: "check host and port in DATABASE_URL, and the firewalls between",
};

const full: Words = {
  message: "the database's disk is full",
  hint: "make room where PostgreSQL keeps its data (df -h), and run this again",
};

/** Codes of a connection that was not made or was lost, from Node, postgres.js and PostgreSQL. */
const unavailable: Readonly<Record<string, Words>> = {
  ECONNREFUSED: away,
  ENOENT: away,
  ECONNRESET: away,
  CONNECTION_CLOSED: away,
  ENOTFOUND: unknownHost,
  EAI_AGAIN: unknownHost,
  ETIMEDOUT: slow,
  CONNECT_TIMEOUT: slow,
  CONNECTION_SILENT: slow,
  EHOSTUNREACH: slow,
  ENETUNREACH: slow,
  "53300": {
    message: "the database takes no more connections",
    hint: "check max_connections and who holds them",
  },
  "53100": full,
  "53200": {
    message: "the database has no memory left",
    hint: "check what else runs on its machine, and run this again",
  },
  "55P03": {
    message: "another session holds a table of the database and did not let go of it",
    hint:
      'end it, and run this again: psql -c "select distinct pid, application_name, query ' +
      'from pg_locks join pg_stat_activity using (pid) where relation is not null"',
  },
  "57014": {
    message: "the database ended a statement before it was done",
    hint: "check its log for who cancelled it, or for a limit of time, and run this again",
  },
  "57P01": away,
  "57P02": away,
  "57P03": { message: "the database is still starting", hint: "check again in a moment" },
};

/** What PostgreSQL does not allow, by SQLSTATE (its manual's appendix A). */
const refused: Readonly<Record<string, Words>> = {
  "28P01": {
    message: "the database refused the user or the password",
    hint: "check user and password in DATABASE_URL",
  },
  "28000": {
    message: "the database does not let this user in from here",
    hint: "check the user in DATABASE_URL, pg_hba.conf, and whether it wants ?sslmode=require",
  },
  "3D000": {
    message: "the database that DATABASE_URL names does not exist",
    hint: 'check the name, or make it: psql -c "create database NAME owner USER"',
  },
  "42501": {
    message: "the database does not let this user make or use its tables",
    hint:
      "check that the login owns the database or has CREATE on it. A new one: " +
      'psql -c "create database tidemark owner tidemark"; ' +
      'one that is there: psql -c "alter database tidemark owner to tidemark"',
  },
  "26000": {
    message: "a pooler before the database lost a statement that was prepared",
    hint: "take prepare=true out of DATABASE_URL, or let the pooler keep prepared statements",
  },
  "25006": {
    message: "the database takes no writes",
    hint: "check that DATABASE_URL names the primary, not a standby, and that default_transaction_read_only is off",
  },
};

/** For a database that takes a connection and then says nothing. */
export function databaseSlow(): UserError {
  return new UserError({ code: "database-unavailable", ...slow });
}

/** What a database said, as something the operator can act on; undefined for other causes. */
export function databaseError(cause: unknown): UserError | undefined {
  const code = codeOf(cause instanceof StoreUnavailable ? cause.cause : cause);
  const refusal = refused[code];
  if (refusal !== undefined) {
    const message = `${refusal.message} (${code})`;
    return new UserError({ code: "database-refused", message, hint: refusal.hint });
  }
  const words = unavailable[code] ?? (cause instanceof StoreUnavailable ? away : undefined);
  return words && new UserError({ code: "database-unavailable", ...words });
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}
