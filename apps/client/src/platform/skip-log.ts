import { mkdirSync, readFileSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "./clock.ts";
import { fileBytes } from "./file-bytes.ts";
import { appendPrivateFile } from "./private-file.ts";

/** What was not captured, by reason. */
export interface SkipCounts {
  readonly total: number;
  readonly byReason: Readonly<Record<string, number>>;
  readonly lastAtMs: number | undefined;
}

/** Size at which the older half is put aside, in bytes. */
const skipsBytesMax = 131_072;

/**
 * Gives the file of skips a block of its own: on a full disk it still takes a few lines (HK13).
 * What cannot be made is told by whatever fails next.
 */
export function reserveSkips(path: string): void {
  if (fileBytes(path) > 0) return;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    appendPrivateFile(path, "\n", { durable: false });
  } catch {
    // Nowhere is left to tell it.
  }
}

/** Notes that something was not captured (HK12); `reason` is a fixed word, never content. */
export function noteSkip(clock: Clock, path: string, reason: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (fileBytes(path) > skipsBytesMax) renameSync(path, `${path}.1`);
    const line = JSON.stringify({ at: clock.nowMs(), reason });
    appendPrivateFile(path, `${line}\n`, { durable: false });
  } catch {
    // Nowhere is left to tell it.
  }
}

/** Counts what was noted lately, for `status` and `doctor`. */
export function readSkips(path: string): SkipCounts {
  const byReason: Record<string, number> = {};
  let total = 0;
  let lastAtMs: number | undefined;
  for (const line of [...linesOf(`${path}.1`), ...linesOf(path)]) {
    const skip = parseSkip(line);
    if (skip === undefined) continue;
    total += 1;
    byReason[skip.reason] = (byReason[skip.reason] ?? 0) + 1;
    lastAtMs = skip.at;
  }
  return { total, byReason, lastAtMs };
}

function linesOf(path: string): readonly string[] {
  try {
    return readFileSync(path, "utf8").split("\n");
  } catch {
    return [];
  }
}

function parseSkip(line: string): { readonly at: number; readonly reason: string } | undefined {
  const [, at, reason] = /^\{"at":(\d+),"reason":"([\w -]{1,64})"\}$/u.exec(line) ?? [];
  return reason === undefined ? undefined : { at: Number(at), reason };
}
