import postgres from "postgres";
import type { Timers } from "../platform/timers.ts";
import { postgresTarget } from "../postgres-target.ts";
import { databaseSlow } from "./database-error.ts";
import { UserError } from "./user-error.ts";

/** The oldest PostgreSQL that the server is tested with, as `server_version_num`. */
const versionMin = 150_000;

/** Longest wait for the answer, in milliseconds. */
const answerMsMax = 15_000;

/** Refuses a PostgreSQL that is too old, before anything is written to it (OPS26). */
export async function checkDatabaseVersion(
  deps: { readonly timers: Timers },
  databaseUrl: string,
): Promise<void> {
  const version = await readVersion(deps, databaseUrl);
  if (version >= versionMin) return;
  throw new UserError({
    code: "database-too-old",
    message: `the database is PostgreSQL ${spell(version)}; the server needs 15 or newer`,
    hint: "update PostgreSQL, or leave DATABASE_URL out to use the one that comes with the server",
  });
}

async function readVersion(
  deps: { readonly timers: Timers },
  databaseUrl: string,
): Promise<number> {
  const { url, options } = postgresTarget(databaseUrl);
  const sql = postgres(url, {
    ...options,
    max: 1,
    prepare: false,
    connect_timeout: 10,
    fetch_types: false,
  });
  const answered = new AbortController();
  const query = sql<{ readonly version: string }[]>`
    select current_setting('server_version_num') as version`.then(([row]) => Number(row?.version));
  // postgres.js waits for ever on something that takes connections and says nothing.
  const late = deps.timers.sleep(answerMsMax, answered.signal).then(() => undefined);
  for (const loser of [query, late]) loser.catch(() => {});
  try {
    const version = await Promise.race([query, late]);
    if (version === undefined) throw databaseSlow();
    return version;
  } finally {
    answered.abort(new Error("answered"));
    await sql.end({ timeout: 0 });
  }
}

/** Since PostgreSQL 10 the number is major * 10000 + minor. */
function spell(version: number): string {
  return `${Math.floor(version / 10_000)}.${version % 10_000}`;
}
