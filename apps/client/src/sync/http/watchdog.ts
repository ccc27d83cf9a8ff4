import { linkSignals, pause, type LinkedSignal, type Timers } from "../ports.ts";

/** Ends a request that stays silent, or lasts, too long. */
export interface Watchdog {
  /** Aborts with the caller's signal or when the time is up. */
  readonly signal: AbortSignal;
  /** Something was heard: the silence starts anew. */
  touch(): void;
  /** Ends the watch. */
  release(): void;
}

/** Silence is measured in slices, so that hearing something costs no timer. */
const slices = 3;

/** Starts to watch; `lifeMs` bounds the request as a whole, undefined where it may last. */
export function createWatchdog(
  timers: Timers,
  outer: AbortSignal,
  times: { readonly silenceMs: number; readonly lifeMs?: number },
): Watchdog {
  const request = linkSignals(outer);
  const watch = linkSignals(request.signal);
  const { signal } = watch;
  let quietSlices = 0;
  const watchSilence = async (): Promise<void> => {
    while (!signal.aborted && quietSlices < slices) {
      quietSlices += 1;
      await pause(timers, times.silenceMs / slices, signal);
    }
  };
  const watches = [watchSilence()];
  if (times.lifeMs !== undefined) watches.push(pause(timers, times.lifeMs, signal));
  for (const timeUp of watches) endAfter(timeUp, request, signal);
  return {
    signal: request.signal,
    touch: () => {
      // The slice that runs does not count: silence is never cut short.
      quietSlices = 0;
    },
    release: () => {
      watch.abort();
      request.release();
    },
  };
}

/** A timer that fails ends the request too: better early than never. */
function endAfter(timeUp: Promise<void>, request: LinkedSignal, watch: AbortSignal): void {
  const end = (): void => {
    if (!watch.aborted) request.abort();
  };
  timeUp.then(end, end);
}
