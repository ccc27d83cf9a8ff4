import { statSync } from "node:fs";
import type { Clock } from "./clock.ts";
import { replacePrivateFile } from "./private-file.ts";

/**
 * Whether `ms` have passed since this last said yes for the same file. Of several processes that
 * ask at once more than one may hear yes; use it to spare work, not to keep an order.
 */
export function isDue(clock: Clock, path: string, ms: number): boolean {
  try {
    const lastMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const ageMs = clock.nowMs() - lastMs;
    if (ageMs >= 0 && ageMs < ms) return false;
    return replacePrivateFile(path, "").ok;
  } catch {
    return false;
  }
}
