import { pollIntervalMs } from "../../domain/pairing.ts";

/** What a poll may do. */
export type Turn =
  | { readonly kind: "go"; readonly intervalMs: number }
  | { readonly kind: "slow-down"; readonly intervalMs: number };

/** Keeps devices that wait for a decision from asking too often (PR7), for one process. */
export interface PollGate {
  /** Counts a poll of a request; one that comes too soon makes the next wait longer. */
  arrive(id: string): Turn;
  /** Takes the one place in which a poll of a request is held; undefined where it is taken. */
  hold(id: string): Hold | undefined;
  /** Notes that a code was given out. */
  opened(): void;
  /** Whether a code was given out lately, so that something may be there to put away. */
  isDue(): boolean;
  /** Wakes the poll that is held for a request: somebody has decided. */
  wake(id: string): void;
  /** Lets go of all. */
  close(): void;
}

/** A poll that is held. */
export interface Hold {
  /** Waits until it is worth asking the database again; false once the hold is over. */
  next(): Promise<boolean>;
  release(): void;
}

/** Added to the interval of a device that asks too soon, in milliseconds (RFC 8628). */
const slowDownMs = 5_000;
/** Longest hold, in milliseconds; proxies cut what is silent for half a minute. */
const holdMsMax = 25_000;
/** How often a held poll looks whether another replica was told, in milliseconds. */
export const lookEveryMs = 1_000;
/** What is remembered of a request that nobody asks about any more, in milliseconds. */
const rememberMs = 900_000;

interface Asked {
  readonly atMs: number;
  readonly intervalMs: number;
}

interface Timers {
  every(ms: number, tick: () => void): () => void;
}

/** Makes the gate of one process. */
export function createPollGate(deps: {
  readonly clock: { nowMs(): number };
  readonly timers: Timers;
}): PollGate {
  const asked = new Map<string, Asked>();
  const held = new Map<string, () => void>();
  // A server that has just started may find what one before it has left.
  let openedAtMs = deps.clock.nowMs();
  let isClosed = false;
  return {
    arrive: (id) => {
      const nowMs = deps.clock.nowMs();
      forgetOld(asked, nowMs);
      const last = asked.get(id);
      const isTooSoon = last !== undefined && nowMs - last.atMs < last.intervalMs;
      const intervalMs = (last?.intervalMs ?? pollIntervalMs) + (isTooSoon ? slowDownMs : 0);
      asked.set(id, { atMs: nowMs, intervalMs });
      return { kind: isTooSoon ? "slow-down" : "go", intervalMs };
    },
    hold: (id) => {
      if (isClosed || held.has(id)) return undefined;
      const untilMs = deps.clock.nowMs() + holdMsMax;
      let wake = (): void => {};
      const onWake = (): void => {
        wake();
      };
      held.set(id, onWake);
      const stop = deps.timers.every(lookEveryMs, onWake);
      return {
        next: async () => {
          if (isClosed || deps.clock.nowMs() >= untilMs) return false;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          return !isClosed;
        },
        release: () => {
          stop();
          held.delete(id);
        },
      };
    },
    opened: () => {
      openedAtMs = deps.clock.nowMs();
    },
    isDue: () => deps.clock.nowMs() - openedAtMs < rememberMs,
    wake: (id) => {
      held.get(id)?.();
    },
    close: () => {
      isClosed = true;
      for (const wake of held.values()) wake();
    },
  };
}

function forgetOld(asked: Map<string, Asked>, nowMs: number): void {
  for (const [id, { atMs }] of asked) {
    if (nowMs - atMs < rememberMs) return;
    asked.delete(id);
  }
}
