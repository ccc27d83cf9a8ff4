import { systemTimers } from "../platform/timers.ts";

/** A signal that aborts after so many milliseconds; it does not keep the program alive. */
export function abortAfter(ms: number): AbortSignal {
  const controller = new AbortController();
  const stop = systemTimers.every(ms, () => {
    stop();
    controller.abort();
  });
  return controller.signal;
}
