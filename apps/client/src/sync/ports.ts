/** Wall time. The engine makes it forward-only before it decides anything by it. */
export interface Clock {
  nowMs(): number;
}

/** Unpredictable bytes: jitter, nonces and link secrets. */
export interface Random {
  bytes(count: number): Uint8Array;
}

/** Waiting, passed in so that tests and the simulator own the time. */
export interface Timers {
  /** Resolves after `ms`; ends early, by resolving or rejecting, when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** Event names, counts and ids; never memory text, tokens or links. */
export interface SyncLog {
  info(event: string, facts: Readonly<Record<string, string | number | boolean>>): void;
  warn(event: string, facts: Readonly<Record<string, string | number | boolean>>): void;
}

/** Waits, and returns early when the signal aborts, however the timers tell it. */
export async function pause(timers: Timers, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await timers.sleep(ms, signal).catch((cause: unknown) => {
    if (!signal.aborted) throw cause;
  });
}

/** Something that may be waited for, and comes once. */
export interface Gate {
  readonly passed: Promise<void>;
  readonly open: () => void;
}

/** Makes a gate that is still closed. */
export function createGate(): Gate {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

/** A signal that follows others, until it is released. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  readonly abort: () => void;
  /** Lets go of the others; a signal that lives as long as a daemon must not gather followers. */
  release(): void;
}

// Nobody asks why: one reason for all saves an error, and its stack, per request.
const ended: unknown = AbortSignal.abort().reason;

/** Makes a signal that aborts with any of the sources, or by itself. */
export function linkSignals(...sources: readonly AbortSignal[]): LinkedSignal {
  const controller = new AbortController();
  const release = (): void => {
    for (const source of sources) source.removeEventListener("abort", abort);
  };
  const abort = (): void => {
    release();
    controller.abort(ended);
  };
  for (const source of sources) source.addEventListener("abort", abort, { once: true });
  if (sources.some((source) => source.aborted)) abort();
  return { signal: controller.signal, abort, release };
}

/** Settles like the work, or with undefined as soon as the signal aborts, whatever the work does. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const give = (): void => {
      resolve(undefined);
    };
    const release = (): void => {
      signal.removeEventListener("abort", give);
    };
    work.then(resolve, reject).then(release, release);
    if (signal.aborted) give();
    else signal.addEventListener("abort", give, { once: true });
  });
}

/** A number from 0 to below 1. */
export function drawJitter(random: Random): number {
  const [a = 0, b = 0, c = 0, d = 0] = random.bytes(4);
  return (a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d) / 2 ** 32;
}

/**
 * Time that never goes back: a wall clock that is set back an hour would otherwise stretch every
 * delay by that hour.
 */
export function forwardClock(clock: Clock): Clock {
  let latest = clock.nowMs();
  let offset = 0;
  return {
    nowMs: () => {
      const wall = clock.nowMs() + offset;
      if (wall < latest) {
        offset += latest - wall;
        return latest;
      }
      latest = wall;
      return wall;
    },
  };
}
