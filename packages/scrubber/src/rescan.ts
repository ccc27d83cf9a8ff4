import type { Edit } from "./rewrite.ts";

/** A stretch of a text that is looked at again. */
export interface Window {
  readonly start: number;
  readonly end: number;
}

/** Texts up to this length are looked at again as a whole. */
const wholeCharsMax = 8192;
/** No scanner but those of blocks looks further than this beyond its line. */
const reachChars = 1024;
/** Longest stretch of one line that is looked at, as long as the longest value that is read. */
const lineCharsMax = 16_384;

/**
 * Gives the stretches in which a text that was rewritten may hold what it did not hold before, or
 * nothing if that may be anywhere. They are the lines around each edit, and what scanners see from
 * there: a name, a separator and the start of a value, which decides on the rest of it. Blocks
 * need no more: a private key or a tag that was met has gone as a whole.
 */
export function windowsAround(text: string, edits: readonly Edit[]): readonly Window[] | undefined {
  if (text.length <= wholeCharsMax) return undefined;
  const windows: { start: number; end: number }[] = [];
  let grown = 0;
  let covered = 0;
  for (const edit of edits) {
    const start = edit.start + grown;
    const end = start + edit.written;
    grown += edit.written - (edit.end - edit.start);
    const last = windows.at(-1);
    if (last !== undefined && end + reachChars <= last.end) continue;
    const window = { start: startOf(text, start, last?.end ?? 0), end: endOf(text, end) };
    if (last !== undefined && window.start <= last.end) last.end = window.end;
    else windows.push(window);
  }
  for (const { start, end } of windows) covered += end - start;
  return 2 * covered > text.length ? undefined : windows;
}

/** The line before what scanners see before the line of `at`, but nothing before `floor`. */
function startOf(text: string, at: number, floor: number): number {
  const line = lineStart(text, at, floor);
  return lineStart(text, Math.max(floor, line - reachChars), floor);
}

function lineStart(text: string, at: number, floor: number): number {
  const stop = Math.min(at, Math.max(floor, at - lineCharsMax));
  return stop + text.slice(stop, at).lastIndexOf("\n") + 1;
}

function endOf(text: string, at: number): number {
  const line = lineEnd(text, at);
  return lineEnd(text, Math.min(text.length, line + reachChars));
}

function lineEnd(text: string, at: number): number {
  const stop = Math.min(text.length, at + lineCharsMax);
  const found = text.slice(at, stop).indexOf("\n");
  return found < 0 ? Math.max(at, stop) : at + found;
}
