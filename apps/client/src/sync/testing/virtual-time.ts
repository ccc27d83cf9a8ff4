import type { Clock, Timers } from "../ports.ts";

interface Sleeper {
  readonly atMs: number;
  readonly wake: () => void;
}

/** Time that stands still until a test moves it. */
export interface VirtualTime extends Clock, Timers {
  /** Lets everything run that needs no time. */
  flush(): Promise<void>;
  /** Moves on, waking sleepers in their order and letting them run. */
  advance(ms: number): Promise<void>;
  /** Moves on until the promise settles, at most `maxMs`; gives its value. */
  until<T>(work: Promise<T>, maxMs?: number): Promise<T>;
}

/** Makes a time of its own. */
export function createVirtualTime(startMs = 1_764_000_000_000): VirtualTime {
  let nowMs = startMs;
  const sleepers = new Set<Sleeper>();
  const nearest = (): Sleeper | undefined =>
    [...sleepers].toSorted((left, right) => left.atMs - right.atMs)[0];

  const flush = async (): Promise<void> => {
    // Signatures are made off the main thread, so a turn of the event loop is not always enough.
    for (let turn = 0; turn < 8; turn += 1) {
      await new Promise<void>((resolve) => {
        setImmediate(resolve);
      });
    }
  };

  const wakeNearest = async (untilMs: number): Promise<boolean> => {
    const sleeper = nearest();
    if (sleeper === undefined || sleeper.atMs > untilMs) return false;
    sleepers.delete(sleeper);
    nowMs = Math.max(nowMs, sleeper.atMs);
    sleeper.wake();
    await flush();
    return true;
  };

  return {
    nowMs: () => nowMs,
    sleep: (ms, signal) =>
      new Promise<void>((resolve, reject) => {
        if (signal.aborted) {
          reject(new Error("aborted"));
          return;
        }
        const onAbort = (): void => {
          sleepers.delete(sleeper);
          reject(new Error("aborted"));
        };
        const wake = (): void => {
          signal.removeEventListener("abort", onAbort);
          resolve();
        };
        const sleeper = { atMs: nowMs + ms, wake };
        sleepers.add(sleeper);
        signal.addEventListener("abort", onAbort, { once: true });
      }),
    flush,
    advance: async (ms) => {
      const untilMs = nowMs + ms;
      await flush();
      while (await wakeNearest(untilMs));
      nowMs = untilMs;
    },
    until: async (work, maxMs = 3_600_000) => {
      const untilMs = nowMs + maxMs;
      const pending = { isDone: false };
      const end = (): void => {
        pending.isDone = true;
      };
      work.then(end, end);
      await flush();
      while (!pending.isDone) {
        if (!(await wakeNearest(untilMs))) throw new Error("nothing happens any more");
      }
      return await work;
    },
  };
}
