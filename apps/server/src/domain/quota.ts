import { serverLimits } from "../limits.ts";

/** What one namespace may hold (QT1). */
export interface Quota {
  /** Live records; tombstones are free. */
  readonly recordsMax: number;
  /** Bytes of the fields and clocks of live records. */
  readonly bytesMax: number;
}

/** What a namespace holds, or would hold besides. */
export interface Usage {
  readonly records: number;
  readonly bytes: number;
}

/** The quota where nobody set another: a million records, 5 GiB. */
export const quotaPreset: Quota = serverLimits.quota;

/**
 * Whether a namespace has room for more (QT1). What adds nothing always has: forgetting, or the
 * same again.
 */
export function hasRoom(quota: Quota, used: Usage, more: Usage): boolean {
  const fits = (held: number, added: number, max: number): boolean =>
    added <= 0 || held + added <= max;
  return (
    fits(used.records, more.records, quota.recordsMax) &&
    fits(used.bytes, more.bytes, quota.bytesMax)
  );
}
