import { ok, type Result } from "@tidemark/protocol";
import { systemClock } from "../platform/clock.ts";
import type { SyncLock, SyncLockHeld } from "../platform/sync-lock.ts";
import { systemTimers } from "../platform/timers.ts";
import { tryTurn } from "./try-turn.ts";

/** Longest wait for another program that has the turn, unless told, and how often it is looked, in ms. */
const turnMsMax = 10_000;
const lookMs = 50;

/**
 * Waits for the turn whose claims lie in a folder, for programs that change one file of a home; says
 * who has it where that takes too long. Where no claim can be written, the change cannot be either,
 * and says why.
 */
export async function waitTurn(
  folder: string,
  msMax: number = turnMsMax,
): Promise<Result<SyncLock, SyncLockHeld>> {
  const untilMs = systemClock.nowMs() + msMax;
  for (;;) {
    const taken = tryTurn(folder) ?? ok({ release: () => undefined });
    if (taken.ok || systemClock.nowMs() >= untilMs) return taken;
    await systemTimers.sleep(lookMs);
  }
}
