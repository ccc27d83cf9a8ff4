/** A day, in milliseconds. */
export const dayMs = 86_400_000;

/** The day of a wall time in milliseconds, in UTC, counted from 1970 (QT4). */
export function dayOf(nowMs: number): number {
  return Math.floor(nowMs / dayMs);
}
