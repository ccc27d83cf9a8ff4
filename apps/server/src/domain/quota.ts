import { serverLimits } from "../limits.ts";

/** What one namespace may hold (QT1). */
export interface Quota {
  /** Live records; tombstones are free. */
  readonly recordsMax: number;
  /** Bytes of the fields and clocks of live records. */
  readonly bytesMax: number;
  /** Changes that one device may have stored in one day; forgetting is free (QT4). */
  readonly deviceOpsMax: number;
}

/** What a namespace holds, or would hold besides. */
export interface Usage {
  readonly records: number;
  readonly bytes: number;
}

/** The quota where nobody set another: a million records, 5 GiB, 200,000 changes of a device a day. */
export const quotaPreset: Quota = serverLimits.quota;

/**
 * Whether a namespace has room for more (QT1). What adds nothing always has: forgetting, or the
 * same again.
 */
export function hasRoom(quota: Omit<Quota, "deviceOpsMax">, used: Usage, more: Usage): boolean {
  const fits = (held: number, added: number, max: number): boolean =>
    added <= 0 || held + added <= max;
  return (
    fits(used.records, more.records, quota.recordsMax) &&
    fits(used.bytes, more.bytes, quota.bytesMax)
  );
}
