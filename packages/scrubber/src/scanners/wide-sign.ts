import { charClasses, isAt } from "../chars.ts";
import { quoteAt, readValue, type ValueSpan } from "../value.ts";
import type { Hit } from "../rule.ts";
import { type Scan, spend } from "../scan.ts";
import { readSecretName } from "../secret-name.ts";
import { judge, type Named } from "./named-value.ts";

const nameCharsMax = 64;
const gapCharsMax = 8;

/** Passes blanks of any width. */
export function skipWideGap(text: string, index: number): number {
  let at = index;
  while (at - index < gapCharsMax && " \t\u00a0\u202f\u3000".includes(text[at] ?? "x")) at++;
  return at;
}

/** The place after a colon or an equals sign of any width, with blanks before it; -1 if none is there. */
export function wideSign(text: string, index: number): number {
  const at = skipWideGap(text, index);
  const char = text[at] ?? "x";
  if (!":=：＝".includes(char)) return -1;
  if (":=".includes(text[at + 1] ?? "x")) return -1;
  // Mail writes a colon so that is not sure to arrive.
  return text.startsWith("=3A ", at) ? at + 3 : at + 1;
}

/** Finds a value whose sign is of another width, or has a blank of another width beside it. */
export function scanWideSign(scan: Scan, hit: Hit): void {
  const { text } = scan;
  const name = nameBefore(scan, hit);
  const promise = readSecretName(nameWithOwner(text, name.start, name.end));
  if (name.start === name.end || promise === undefined) return;
  const sign = wideSign(text, skipMarks(text, name.end));
  if (sign < 0) return;
  const valueStart = skipWideGap(text, sign);
  const value = readWide(scan, valueStart);
  if (/[^\x20-\x7e]/.test(value.value) && !/\d/.test(value.value)) return;
  const separator = { valueStart, form: "colon", isSpaced: false } as const;
  judge({ scan, hit, name, separator }, promise, value);
}

/** The name that ends at an anchor, or before the marks and blanks that it begins with. */
function nameBefore(scan: Scan, hit: Hit): Named {
  const { text } = scan;
  let end = hit.start;
  while (hit.start - end < gapCharsMax && " \u00a0\u202f\u3000\"'`*".includes(text[end - 1] ?? "x")) end--; // prettier-ignore
  while (end < hit.end && isAt(text, end, charClasses.name)) end++;
  let start = end;
  while (end - start < nameCharsMax && isAt(text, start - 1, charClasses.name)) start--;
  spend(scan, hit.end - start + 1);
  return { start, end };
}

/** Reads a value; a bare one ends at a mark or a blank of the widths that other scripts have. */
export function readWide(scan: Scan, start: number): ValueSpan {
  const span = readValue(scan, start);
  const stop = quoteAt(scan.text, start) === undefined ? span.value.search(/[\u00a0\u3000-\uffef]/) : -1; // prettier-ignore
  if (stop < 0) return span;
  return { ...span, end: span.start + stop, value: span.value.slice(0, stop) };
}

function skipMarks(text: string, index: number): number {
  let at = index;
  while (at - index < 3 && "\"'`*".includes(text[at] ?? "x")) at++;
  return at;
}

/** The name, with the word before a bare one: `API key`. */
function nameWithOwner(text: string, start: number, end: number): string {
  const name = text.slice(start, end);
  if (name.length > 6 || text[start - 1] !== " ") return name;
  const before = /(\w{2,10}) $/.exec(text.slice(Math.max(0, start - 12), start));
  return before === null ? name : `${before[1]}_${name}`;
}
