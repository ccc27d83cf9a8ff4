const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Calls back once on the first signal that asks the program to end. */
export function onStop(stop: () => void): void {
  for (const signal of stopSignals) process.once(signal, stop);
}

/**
 * Resolves once signals that have come by now were heard: {@link endable} loses those that wait to be.
 * They are looked for between two turns of the loop, and the first turn may be under way.
 */
export async function signalsHeard(): Promise<void> {
  await turn();
  await turn();
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Does work that never waits and may be broken off anywhere. A program that asked to be called back
 * would hear of a signal only afterwards; meanwhile signals end it, as they do one that never asked.
 */
export function endable<T>(work: () => T): T {
  const heard = stopSignals.map((signal) => {
    const listeners = process.rawListeners(signal);
    process.removeAllListeners(signal);
    return { signal, listeners };
  });
  try {
    return work();
  } finally {
    for (const { signal, listeners } of heard) {
      for (const listener of listeners) process.on(signal, listener as () => void);
    }
  }
}
