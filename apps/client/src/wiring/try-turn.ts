import { systemClock } from "../platform/clock.ts";
import { errnoOf } from "../platform/errno.ts";
import { systemRandom } from "../platform/random.ts";
import { takeSyncLock } from "../platform/sync-lock.ts";
import { systemTimers } from "../platform/timers.ts";

const lockDeps = { clock: systemClock, random: systemRandom, timers: systemTimers };

/**
 * Takes the turn whose claims lie in a folder, or says who has it; undefined where the folder cannot
 * be used, as on a full disk.
 */
export function tryTurn(folder: string): ReturnType<typeof takeSyncLock> | undefined {
  try {
    return takeSyncLock(lockDeps, folder);
  } catch (cause) {
    if (errnoOf(cause) === undefined) throw cause;
    return undefined;
  }
}
