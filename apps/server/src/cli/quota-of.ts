import type { Config } from "../config/config.ts";
import type { Quota } from "../domain/quota.ts";

const bytesPerMib = 1_048_576;

/** What each namespace may hold, by the settings. */
export function quotaOf(config: Config): Quota {
  return {
    recordsMax: config.quotaRecords,
    bytesMax: config.quotaMib * bytesPerMib,
    deviceOpsMax: config.quotaDeviceOps,
  };
}
