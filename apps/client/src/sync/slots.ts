/** Room for so many pieces of work at once; more wait for one that ends, in the order they came. */
export interface Slots {
  /** Runs the work once there is room; undefined where the signal aborted before. */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T | undefined>;
  /** Whether work waits, so that what ends now is not the next to begin. */
  isAwaited(): boolean;
}

/** Makes room for `countMax`. Work that finds room begins at once. */
export function createSlots(countMax: number): Slots {
  const waiting = new Set<() => void>();
  let taken = 0;
  const passOn = (): void => {
    const [next] = waiting;
    if (next === undefined) taken -= 1;
    else next();
  };
  return {
    isAwaited: () => waiting.size > 0,
    run: async (work, signal) => {
      if (signal.aborted) return undefined;
      if (taken < countMax) taken += 1;
      else if (!(await given(waiting, signal))) return undefined;
      try {
        return await work();
      } finally {
        passOn();
      }
    },
  };
}

/** Waits for a slot of another; false where the signal aborted first. */
function given(waiting: Set<() => void>, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isGiven: boolean): void => {
      waiting.delete(take);
      signal.removeEventListener("abort", leave);
      resolve(isGiven);
    };
    const take = (): void => {
      end(true);
    };
    const leave = (): void => {
      end(false);
    };
    waiting.add(take);
    signal.addEventListener("abort", leave);
  });
}
