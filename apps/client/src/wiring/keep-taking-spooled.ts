import type { Timers } from "../platform/timers.ts";
import type { Memory } from "./memory.ts";

/** How often it is looked whether captures wait that a hook could not store, in milliseconds. */
const lookMs = 5_000;
/** Time spent on them each time, in milliseconds: whatever else the program does waits meanwhile. */
const takeMsMax = 200;
/** Looks that are left out after one that could take nothing in: its reason stands in the log. */
const looksLeftOut = 11;

/**
 * Takes in what waits in the spool as long as the program runs (HK21), while `isInPlace` says that its
 * database is the one in use. Gives what ends it.
 */
export function keepTakingSpooled(
  timers: Pick<Timers, "every">,
  memory: Pick<Memory, "hasSpooled" | "takeSpooled">,
  isInPlace: () => boolean,
): () => void {
  let left = 0;
  return timers.every(lookMs, () => {
    if (left > 0) left -= 1;
    else if (memory.hasSpooled() && isInPlace() && memory.takeSpooled(takeMsMax) === 0) {
      left = looksLeftOut;
    }
  });
}
