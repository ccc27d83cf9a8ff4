import { bitsAt, charClasses } from "../chars.ts";

/** Shortest run that is looked at: 18 bytes hardly hold a name and a secret. */
export const runCharsMin: number = 24;

const backslash = 92;
const slash = 47;

/** A run of characters that may encode something, as far as it was measured. */
export interface Run {
  readonly start: number;
  readonly end: number;
}

let table: Uint8Array | undefined;

/** 1 for letters, digits, and `+ / - _`; made at the first call, and quicker than to compare. */
function runTable(): Uint8Array {
  if (table !== undefined) return table;
  table = new Uint8Array(65_536);
  for (const char of runChars) table[char.charCodeAt(0)] = 1;
  return table;
}

const runChars = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_";

/**
 * Gives the start of the next run of {@link runCharsMin} characters of base64 or hex from `from`
 * on, or -1. Reads each stretch from its far end, so that words are passed over in leaps.
 */
export function nextRun(text: string, from: number): number {
  const isOfRun = runTable();
  const { length } = text;
  let known = from;
  let start = from;
  for (let last = from + runCharsMin - 1; last < length; last = start + runCharsMin - 1) {
    let at = last;
    while (at >= known && isOfRun[text.charCodeAt(at)] === 1) at--;
    if (at < known) return passSlashesBack(text, start, from);
    known = last + 1;
    start = at + 1;
  }
  return -1;
}

/**
 * Gives the place at or before `at`, but not before `floor`, where runs may be looked for: the first
 * line of a run in lines, or, in the middle of a longer run, its end.
 */
export function startOfRuns(text: string, at: number, floor: number): number {
  if (at <= floor) return at;
  if (runTable()[text.charCodeAt(at - 1)] === 1) return endOfRun(text, at);
  let start = at;
  for (;;) {
    const before = lineEndBefore(text, start);
    if (before - runCharsMin < floor || nextRun(text.slice(before - runCharsMin, before), 0) < 0)
      return start;
    const line = text.lastIndexOf("\n", before - 1) + 1;
    if (line < floor) return start;
    start = line;
  }
}

function lineEndBefore(text: string, at: number): number {
  if (text.charCodeAt(at - 1) !== 10) return 0;
  return text.charCodeAt(at - 2) === 13 ? at - 2 : at - 1;
}

/** End of the run that goes on at `from`; a slash may be written `\/`, as some JSON has it. */
export function endOfRun(text: string, from: number): number {
  const isOfRun = runTable();
  let at = from;
  for (;;) {
    while (at < text.length && isOfRun[text.charCodeAt(at)] === 1) at++;
    const next = passEscape(text, at);
    if (next === at) return at;
    at = next;
  }
}

/** Place of the slash whose backslashes stand at `at`. */
function passEscape(text: string, at: number): number {
  if (text.charCodeAt(at) !== backslash) return at;
  let end = at;
  while (end - at < 8 && text.charCodeAt(end) === backslash) end++;
  return text.charCodeAt(end) === slash ? end : at;
}

/** A run that begins with an escaped slash began before it. */
function passSlashesBack(text: string, start: number, floor: number): number {
  const isOfRun = runTable();
  let at = start;
  while (text.charCodeAt(at) === slash && text.charCodeAt(at - 1) === backslash) {
    let before = at - 1;
    while (before > floor && text.charCodeAt(before - 1) === backslash) before--;
    if (before <= floor || isOfRun[text.charCodeAt(before - 1)] !== 1) break;
    at = before - 1;
    while (at > floor && isOfRun[text.charCodeAt(at - 1)] === 1) at--;
  }
  return at;
}

const gap = (): RegExp =>
  /^(?:["'`][ \t]{0,4}[+,.]?[ \t]{0,4}\\?)?(?:\r?\n|(?:\\{1,8}r)?\\{1,8}n)[ \t>|#*]{0,32}(?:\d{1,6}[\t→:|] ?)?["'`]?/;
const gapCharsMax = 64;

/**
 * Place where a run that ended at `end` goes on in the next line, or -1. Indents, marks of quotes
 * and comments, line numbers and the quotes of string literals may stand between.
 */
export function nextLine(text: string, end: number): number {
  const code = text.charCodeAt(end);
  if (code !== 10 && code !== 13 && code !== backslash && code !== 34 && code !== 39 && code !== 96)
    return -1;
  const found = gap().exec(text.slice(end, end + gapCharsMax));
  return found === null ? -1 : end + found[0].length;
}

/** Place after the padding of a run, at most two signs, which JSON and code may escape. */
export function afterPadding(text: string, end: number): number {
  let at = end;
  while (at - end < 2 && text[at] === "=") at++;
  return at;
}

/** Whether all of a run are hexadecimal digits. */
export function isHex(text: string, start: number, end: number): boolean {
  let at = start;
  while (at < end && (bitsAt(text, at) & charClasses.anyHex) !== 0) at++;
  return at === end;
}
