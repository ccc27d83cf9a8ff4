import { syncLimits } from "../sync-limits.ts";

/** What a namespace's loop does: each lane has at most one request in flight. */
export type LaneName = "push" | "pull" | "heal";

/** One lane: when it wants to run next, and how it fared. */
export interface Lane {
  readonly isBusy: boolean;
  /** When it wants to run; undefined: nothing to do. Set while busy: run again afterwards. */
  readonly dueAtMs: number | undefined;
  /** No earlier than this, whatever happens: backoff and the server's wish. */
  readonly notBeforeMs: number;
  /** The timer that is set, by its time. */
  readonly timerAtMs: number | undefined;
  /** Failures since success last held for a minute; they set the backoff. */
  readonly failures: number;
  /** Failures in a row. */
  readonly streak: number;
  readonly healthySinceMs: number | undefined;
}

/** A lane with nothing to do. */
export const idleLane: Lane = {
  isBusy: false,
  dueAtMs: undefined,
  notBeforeMs: 0,
  timerAtMs: undefined,
  failures: 0,
  streak: 0,
  healthySinceMs: undefined,
};

/** The lane wants to run at a time, or earlier where it wanted that already. */
export function want(lane: Lane, atMs: number): Lane {
  const earliest = Math.min(lane.dueAtMs ?? atMs, atMs);
  return { ...lane, dueAtMs: Math.max(earliest, lane.notBeforeMs) };
}

/** The lane has nothing to do any more. */
export function rest(lane: Lane): Lane {
  return { ...lane, dueAtMs: undefined };
}

/** The lane's request has ended, whatever came of it. */
export function release(lane: Lane): Lane {
  return { ...lane, isBusy: false };
}

/** The lane's request succeeded; the backoff starts anew only once that has lasted (EN5). */
export function succeed(lane: Lane, nowMs: number): Lane {
  const since = lane.healthySinceMs ?? nowMs;
  const isHealthy = nowMs - since >= syncLimits.backoffResetMs;
  return {
    ...release(lane),
    notBeforeMs: 0,
    healthySinceMs: since,
    streak: 0,
    failures: isHealthy ? 0 : lane.failures,
  };
}

/** The lane's request failed: it runs again after the delay, not before. */
export function retryAfter(lane: Lane, nowMs: number, delayMs: number): Lane {
  return {
    ...release(lane),
    failures: lane.failures + 1,
    streak: lane.streak + 1,
    healthySinceMs: undefined,
    notBeforeMs: nowMs + delayMs,
    dueAtMs: nowMs + delayMs,
  };
}
