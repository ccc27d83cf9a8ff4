import { pause } from "../../sync/ports.ts";
import type { CliDeps } from "./deps.ts";

/** How long work goes on between two looks at who wants to stop, in milliseconds. */
const lookMs = 200;

/**
 * Gives what long work asks between two pieces: whether somebody wants it to end. A signal is heard
 * only where the program waits, so work that never does would run on whatever a person presses.
 */
export function createStopLook(
  deps: Pick<CliDeps, "clock" | "signal" | "sleep">,
): () => Promise<boolean> {
  let dueMs = deps.clock.nowMs() + lookMs;
  return async () => {
    if (deps.clock.nowMs() >= dueMs) {
      await pause(deps, 0, deps.signal);
      dueMs = deps.clock.nowMs() + lookMs;
    }
    return deps.signal.aborted;
  };
}
