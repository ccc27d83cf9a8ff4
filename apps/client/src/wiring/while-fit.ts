import { fileMark } from "../platform/file-mark.ts";
import { systemTimers } from "../platform/timers.ts";
import { attempt } from "../store/store-error.ts";
import type { Home } from "./home.ts";
import type { Memory } from "./memory.ts";

/** How often a long-running program looks whether its database is still its own, in milliseconds. */
const lookMs = 2_000;

/**
 * Aborts with `stop`, and where this program can write nothing more: its database was replaced, or
 * changed by a newer version (ST4). Who drives sync has to let go then, for others wait for the turn.
 *
 * @param isFit whatever else has to hold
 */
export function whileFit(
  { paths }: Home,
  { store }: Memory,
  stop: AbortSignal,
  isFit: () => boolean = () => true,
): AbortSignal {
  const mark = fileMark(paths.database);
  const unfit = new AbortController();
  const signal = AbortSignal.any([stop, unfit.signal]);
  const stopLooking = systemTimers.every(lookMs, () => {
    const outgrown = attempt(() => store.upkeep.isOutgrown());
    const isOutgrown = outgrown.ok && outgrown.value;
    if (isOutgrown || fileMark(paths.database) !== mark || !isFit()) unfit.abort();
  });
  signal.addEventListener("abort", stopLooking, { once: true });
  return signal;
}
