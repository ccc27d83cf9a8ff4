/** How far ahead of the reader's clock a wall time may be that is believed, in milliseconds. */
export const wallTimeAheadMsMax = 600_000;

/**
 * Whether a wall time that something else has told can be one: after 1970 began, and no more than
 * ten minutes ahead of the reader's clock. Wall times are for show; nothing is ordered or merged by
 * them (CK1), so one that cannot be is left out of what people read, never out of a record.
 *
 * @example
 * ```ts
 * const now = 1_790_000_000_000;
 * expect(isCredibleTime(now - 5_000, now)).toBe(true);
 * expect(isCredibleTime(253_402_300_799_999, now)).toBe(false); // the end of the year 9999
 * ```
 */
export function isCredibleTime(ms: number, nowMs: number): boolean {
  return Number.isSafeInteger(ms) && ms >= 0 && ms <= nowMs + wallTimeAheadMsMax;
}
