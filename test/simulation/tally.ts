import type { Outcome } from "./trial.ts";

/** What many runs came to; tallies of several processes add up. */
export interface Tally {
  seeds: number;
  readonly failures: Failure[];
  readonly struck: Record<string, number>;
  readonly crashPoints: Record<string, number>;
  heals: number;
  cpuMs: number;
}

/** A seed that broke a promise. */
export interface Failure {
  readonly seed: number;
  readonly rule: string;
  readonly what: string;
}

export function emptyTally(): Tally {
  return { seeds: 0, failures: [], struck: {}, crashPoints: {}, heals: 0, cpuMs: 0 };
}

export function addOutcome(tally: Tally, outcome: Outcome): void {
  tally.seeds += 1;
  tally.heals += outcome.heals;
  if (outcome.failure !== undefined)
    tally.failures.push({ seed: outcome.seed, ...outcome.failure });
  for (const [kind, count] of outcome.struck) add(tally.struck, kind, count);
  for (const [point, count] of outcome.crashPoints) add(tally.crashPoints, point, count);
}

export function addTally(tally: Tally, more: Tally): void {
  tally.seeds += more.seeds;
  tally.heals += more.heals;
  tally.cpuMs += more.cpuMs;
  tally.failures.push(...more.failures);
  for (const [kind, count] of Object.entries(more.struck)) add(tally.struck, kind, count);
  for (const [point, count] of Object.entries(more.crashPoints))
    add(tally.crashPoints, point, count);
}

function add(counts: Record<string, number>, name: string, count: number): void {
  counts[name] = (counts[name] ?? 0) + count;
}
