import postgres from "postgres";
import { replicaSkewS } from "../auth/auth-deps.ts";
import type { Clock } from "../platform/clock.ts";
import type { Timers } from "../platform/timers.ts";
import { postgresTarget } from "../postgres-target.ts";
import { databaseSlow } from "./database-error.ts";
import { UserError } from "./user-error.ts";

/** The oldest PostgreSQL that the server is tested with, as `server_version_num`. */
const versionMin = 150_000;

/** Longest wait for the answer, in milliseconds. */
const answerMsMax = 15_000;

/**
 * How far the database's clock may be off the server's, in milliseconds. Two servers may be off it
 * in opposite directions, and differ by no more than replicas may.
 */
const clockOffMsMax = (replicaSkewS * 1000) / 2;

interface CheckDeps {
  readonly timers: Timers;
  readonly clock: Clock;
}

/** What a database that may be used is like. */
export interface CheckedDatabase {
  /** Connections are a pooler's, so that one statement's session need not be the next one's. */
  readonly isPooled: boolean;
  /** How the database keeps text, by PostgreSQL's name, such as UTF8. */
  readonly encoding: string;
}

/** Encodings that keep every character; SQL_ASCII keeps the bytes it is given, and those are UTF-8. */
const wholeEncodings: ReadonlySet<string> = new Set(["UTF8", "SQL_ASCII"]);

/**
 * Refuses to serve from a database that has no place for most characters (OPS98). It would take
 * devices in, and then refuse what they send, one record after the other. Only a backup is still
 * taken of such a one, for that is the way out.
 */
export function requireWholeEncoding({ encoding }: Pick<CheckedDatabase, "encoding">): void {
  if (wholeEncodings.has(encoding)) return;
  throw new UserError({
    code: "database-encoding",
    message: `the database is of the encoding ${encoding}, which does not have every character`,
    hint:
      'make one that has: psql -c "create database NAME owner USER template template0 encoding ' +
      "utf8 locale 'C'\"; what this one holds goes there by backup and restore",
  });
}

/**
 * Refuses a PostgreSQL that is too old, before anything is written to it (OPS26), and one whose
 * clock is off (OPS30): one of the two is wrong, and by it tokens and links live too long or not
 * at all.
 */
export async function checkDatabase(
  deps: CheckDeps,
  databaseUrl: string,
): Promise<CheckedDatabase> {
  const askedAtMs = deps.clock.nowMs();
  const { version, nowMs, isPooled, encoding } = await readFacts(deps, databaseUrl);
  if (version < versionMin) throw tooOld(version);
  // The answer was made at some moment between asking and now.
  const answeredAtMs = deps.clock.nowMs();
  const offMs = Math.max(askedAtMs - nowMs, nowMs - answeredAtMs);
  if (offMs > clockOffMsMax) throw clockOff(offMs);
  return { isPooled, encoding };
}

function tooOld(version: number): UserError {
  return new UserError({
    code: "database-too-old",
    message: `the database is PostgreSQL ${spell(version)}; the server needs 15 or newer`,
    hint: "update PostgreSQL, or leave DATABASE_URL out to use the one that comes with the server",
  });
}

function clockOff(offMs: number): UserError {
  return new UserError({
    code: "clock-off",
    message: `the clocks of this machine and of the database are ${Math.round(offMs / 1000)} s apart`,
    hint: "set both by the network, such as with timedatectl set-ntp true, and start again",
  });
}

interface DatabaseFacts {
  readonly version: number;
  /** What the database's clock shows. */
  readonly nowMs: number;
  readonly isPooled: boolean;
  readonly encoding: string;
}

async function readFacts(deps: CheckDeps, databaseUrl: string): Promise<DatabaseFacts> {
  const { url, options } = postgresTarget(databaseUrl);
  const sql = postgres(url, {
    ...options,
    max: 1,
    prepare: false,
    connect_timeout: 10,
    fetch_types: false,
  });
  const answered = new AbortController();
  const query = askFacts(sql);
  // postgres.js waits for ever on something that takes connections and says nothing.
  const late = deps.timers.sleep(answerMsMax, answered.signal).then(() => undefined);
  for (const loser of [query, late]) loser.catch(() => {});
  try {
    const facts = await Promise.race([query, late]);
    if (facts === undefined) throw databaseSlow();
    return facts;
  } finally {
    answered.abort(new Error("answered"));
    await sql.end({ timeout: 0 });
  }
}

async function askFacts(sql: postgres.Sql): Promise<DatabaseFacts> {
  const rows = await sql<
    {
      readonly version: string;
      readonly now: string;
      readonly pid: number;
      readonly encoding: string;
    }[]
  >`
    select current_setting('server_version_num') as version, pg_backend_pid() as pid,
      current_setting('server_encoding') as encoding,
      (extract(epoch from clock_timestamp()) * 1000)::bigint::text as now`;
  const [row] = rows;
  return {
    version: Number(row?.version),
    nowMs: Number(row?.now),
    encoding: row?.encoding ?? "",
    // A pooler names a process of its own, so that cancelling goes through it as well.
    isPooled: row?.pid !== rows.state.pid,
  };
}

/** Since PostgreSQL 10 the number is major * 10000 + minor. */
function spell(version: number): string {
  return `${Math.floor(version / 10_000)}.${version % 10_000}`;
}
