import { join } from "node:path";
import { fail, ok, type Result } from "@tidemark/protocol";
import { systemClock } from "../platform/clock.ts";
import type { SyncLock } from "../platform/sync-lock.ts";
import { hasWish, wishSync, withdrawWish } from "../platform/sync-wish.ts";
import { systemTimers } from "../platform/timers.ts";
import { pause } from "../sync/ports.ts";
import type { Home } from "./home.ts";
import { tryTurn } from "./try-turn.ts";
import { UserError } from "./user-error.ts";

/** How often somebody who waits for the engine asks, in milliseconds. */
const askMs = 100;
/** How long a background driver stays away for somebody who wished, in milliseconds. */
const yieldMs = 500;

/**
 * The right to drive the sync engine once. A background driver lets go when asked, so this waits
 * for moments; `waitMs` bounds it.
 */
export async function takeSyncTurn(
  home: Home,
  waitMs: number,
): Promise<Result<SyncLock, { readonly kind: "held"; readonly pid: number | undefined }>> {
  const untilMs = systemClock.nowMs() + waitMs;
  const wish = wishPath(home);
  for (;;) {
    const lock = tryTurn(home.paths.syncLock);
    if (lock === undefined) throw new UserError(noTurns(home));
    const isOver = systemClock.nowMs() >= untilMs;
    if (lock.ok || isOver) {
      if (waitMs > 0) withdrawWish(wish);
      return lock.ok ? ok(lock.value) : fail(lock.error);
    }
    wishSync(wish);
    await systemTimers.sleep(askMs);
  }
}

/**
 * Drives `run` under the lock until the signal aborts: one driver a home, and it steps aside for
 * whoever asks for a turn.
 */
export async function driveInTurns(
  home: Home,
  run: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const wish = wishPath(home);
  while (!signal.aborted) {
    // Where there is no turn to be had, as on a full disk, it is looked again like for any other (EN29).
    const lock = hasWish(systemClock, wish) ? undefined : tryTurn(home.paths.syncLock);
    if (lock?.ok === true) {
      const turn = new AbortController();
      const stopLooking = systemTimers.every(askMs * 2, () => {
        if (hasWish(systemClock, wish)) turn.abort();
      });
      try {
        await run(AbortSignal.any([signal, turn.signal]));
      } finally {
        stopLooking();
        lock.value.release();
      }
    }
    await pause(systemTimers, yieldMs, signal);
  }
}

function noTurns({ paths }: Home): ConstructorParameters<typeof UserError>[0] {
  return {
    code: "sync-turn",
    message: `${paths.syncLock} cannot be written`,
    hint: "free some space, or see to it that this folder is yours; `tidemark doctor` looks at the rest",
  };
}

function wishPath(home: Home): string {
  return join(home.paths.stateHome, "sync.wish");
}
