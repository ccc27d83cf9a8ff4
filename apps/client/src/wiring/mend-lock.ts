import { join } from "node:path";
import { systemClock } from "../platform/clock.ts";
import { errnoOf } from "../platform/errno.ts";
import type { Paths } from "../platform/paths.ts";
import { systemRandom } from "../platform/random.ts";
import { takeSyncLock, type SyncLock } from "../platform/sync-lock.ts";
import { systemTimers } from "../platform/timers.ts";
import { hintOf, StoreFailure } from "../store/store-error.ts";

const systemDeps = { clock: systemClock, random: systemRandom, timers: systemTimers };

/**
 * The right to repair the database of a home; undefined while another program has it. The folder of
 * the database holds the claims: whoever shares the one shares the other.
 */
export function takeMendLock(
  paths: Pick<Paths, "home">,
  deps: Parameters<typeof takeSyncLock>[0] = systemDeps,
): SyncLock | undefined {
  const folder = join(paths.home, "mend.lock");
  try {
    const lock = takeSyncLock(deps, folder);
    if (lock.ok) return lock.value;
    // It may have been given free since: whoever waits asks again (OPS113).
    if (lock.error.isUnwritable !== true) return undefined;
  } catch (cause) {
    if (errnoOf(cause) === undefined) throw cause;
  }
  const message = `${folder} cannot be written`;
  throw new StoreFailure({ kind: "full", message, hint: hintOf("full") });
}
