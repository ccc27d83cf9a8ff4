import { rmSync, statSync } from "node:fs";
import type { Clock } from "./clock.ts";
import { replacePrivateFile } from "./private-file.ts";

/** A wish is forgotten after this many milliseconds: whoever had it may have died. */
const wishMsMax = 10_000;

/** Asks whoever drives the sync engine to let go for a moment (OPS46). */
export function wishSync(path: string): void {
  replacePrivateFile(path, "");
}

/** Takes the wish back. */
export function withdrawWish(path: string): void {
  rmSync(path, { force: true });
}

/** Whether somebody waits for the engine. Costs one look at a file. */
export function hasWish(clock: Clock, path: string): boolean {
  const changedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  if (changedMs === undefined) return false;
  return Math.abs(clock.nowMs() - changedMs) < wishMsMax;
}
