import type { Timers } from "../platform/timers.ts";
import { migrate, type Migrated } from "../store/postgres/migrate.ts";

/** How often somebody who waits for the tables is told so, in milliseconds. */
const toldEveryMs = 10_000;

/** Whom they wait for may be a restore, another server that starts, or a session that was left open. */
export const tablesWaiting = {
  message: "the tables are not up to date yet",
  fix:
    "large ones take a while; who holds them up: psql -c " +
    '"select pid, application_name, state, query from pg_stat_activity where pid in ' +
    '(select unnest(pg_blocking_pids(pid)) from pg_stat_activity)"',
} as const;

/** Brings the tables up to date, however long it takes, and says meanwhile that it is at it (OPS120). */
export async function migrateTold(
  { timers }: { readonly timers: Pick<Timers, "every"> },
  url: string,
  say: () => void,
): Promise<Migrated> {
  const stop = timers.every(toldEveryMs, say);
  try {
    return await migrate(url);
  } finally {
    stop();
  }
}
