import { join } from "node:path";
import { systemClock } from "../platform/clock.ts";
import type { SyncLock } from "../platform/sync-lock.ts";
import { systemTimers } from "../platform/timers.ts";
import type { InTurn } from "../sync/access/auth.ts";
import { pause } from "../sync/ports.ts";
import type { Home } from "./home.ts";
import { tryTurn } from "./try-turn.ts";

/** How often a program that waits for its turn looks, in milliseconds. */
const lookMs = 25;
/** How long it waits at most; then it asks for a token all the same, in milliseconds. */
const waitMsMax = 5_000;

/**
 * Turns at asking for a token among the programs of a home. Two that ask at once would show one
 * counter twice, or a lower one after a higher, and the server would warn of a copied key (AU16).
 */
export function tokenTurn(home: Home): InTurn {
  const folder = join(home.paths.stateHome, "token.lock");
  return async (work, signal) => {
    const lock = await takeTurn(folder, signal);
    try {
      return await work();
    } finally {
      lock?.release();
    }
  };
}

/** Undefined where it took too long, or the folder cannot be written. */
async function takeTurn(folder: string, signal: AbortSignal): Promise<SyncLock | undefined> {
  const untilMs = systemClock.nowMs() + waitMsMax;
  while (!signal.aborted && systemClock.nowMs() < untilMs) {
    const taken = tryTurn(folder);
    if (taken === undefined) return undefined;
    if (taken.ok) return taken.value;
    await pause(systemTimers, lookMs, signal);
  }
  return undefined;
}
