import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { Timers } from "../timers.ts";
import type { Attempt, EmbeddedPostgresFailure } from "./failure.ts";
import type { Postmaster } from "./postmaster.ts";

/** Keeps one PostgreSQL running until told to stop. */
export interface Supervisor {
  /** Resolves if PostgreSQL cannot be kept running; the server must then exit with an error. */
  readonly failed: Promise<EmbeddedPostgresFailure>;
  stop(): Promise<void>;
}

/** What the supervisor needs from outside. */
export interface SupervisorDeps {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Starts PostgreSQL again, back-off included; gives up when aborted. */
  restart(signal: AbortSignal): Promise<Attempt<Postmaster>>;
}

/** More deaths than this within {@link deathsWindowMs} are a broken machine, not bad luck. */
const deathsMax = 5;
const deathsWindowMs = 60_000;

/**
 * Starts PostgreSQL again when it dies (PG27).
 *
 * One person's server has nobody to restart it at night, requests that fail meanwhile are
 * repeated by the clients, and the address does not change. When it dies again and again, the
 * server gives up loudly, for a loop of crashes would only hide the cause.
 */
export function supervise(deps: SupervisorDeps, first: Postmaster): Supervisor {
  const stopping = new AbortController();
  let current = first;
  const watch = async (): Promise<EmbeddedPostgresFailure | undefined> => {
    let deathsAtMs: readonly number[] = [];
    for (;;) {
      const how = await current.ended;
      if (stopping.signal.aborted) return undefined;
      const nowMs = deps.clock.nowMs();
      deathsAtMs = [...deathsAtMs.filter((atMs) => nowMs - atMs < deathsWindowMs), nowMs];
      deps.log.error("postgres-died", { how, deaths: deathsAtMs.length });
      if (deathsAtMs.length > deathsMax) return diedTooOften(how);
      const again = await deps.restart(stopping.signal);
      if (!again.ok) return stopping.signal.aborted ? undefined : again.error;
      current = again.value;
      deps.log.warn("postgres-restarted", { pid: current.pid });
      if (stopping.signal.aborted) await current.stop();
    }
  };
  const watched = watch();
  const failed = new Promise<EmbeddedPostgresFailure>((resolve, reject) => {
    watched.then((failure) => failure !== undefined && resolve(failure), reject);
  });
  return {
    failed,
    stop: async () => {
      stopping.abort(new Error("the server stops"));
      await current.stop();
      await watched;
    },
  };
}

function diedTooOften(how: string): EmbeddedPostgresFailure {
  return {
    kind: "died-too-often",
    message: `the embedded PostgreSQL died ${deathsMax + 1} times within a minute (last: ${how})`,
    hint: "check memory and disk; `serve --log-level debug` shows what PostgreSQL says",
  };
}
