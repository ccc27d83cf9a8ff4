import { setTimeout as sleepUntil } from "node:timers/promises";

/** Waiting, passed in so that tests and the simulator own the time. */
export interface Timers {
  /** Resolves after `ms`; rejects with the signal's reason when aborted before. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `tick` every `ms` until the returned function is called. Does not keep the program alive. */
  every(ms: number, tick: () => void): () => void;
}

/** Node's timers. */
export const systemTimers: Timers = {
  sleep: async (ms, signal) => {
    try {
      await sleepUntil(ms, undefined, signal === undefined ? {} : { signal });
    } catch (cause) {
      signal?.throwIfAborted();
      throw cause;
    }
  },
  every: (ms, tick) => {
    const timer = setInterval(tick, ms);
    timer.unref();
    return () => {
      clearInterval(timer);
    };
  },
};
