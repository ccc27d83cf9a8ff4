/** Wall time, for show and for expiry; the merge never asks for it. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  nowMs(): number;
}

/** The clock of the machine. */
export const systemClock: Clock = { nowMs: () => Date.now() };
