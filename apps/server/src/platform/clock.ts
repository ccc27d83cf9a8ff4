/** Wall time, for expiry and for show; nothing in the merge asks for it. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  nowMs(): number;
}

/** The clock of the machine. */
export const systemClock: Clock = { nowMs: () => Date.now() };

/** A moment as ISO 8601 writes it, in UTC. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
