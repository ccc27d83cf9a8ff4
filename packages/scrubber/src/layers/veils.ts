import { charClasses, isAt } from "../chars.ts";
import { backslashesBefore, skipAnsi } from "../escapes.ts";
import type { CodedMark } from "./coded-marks.ts";

/** Characters of no width, and the hyphen that shows only where a line breaks. */
const widthless = (): RegExp => /^[\u200b-\u200d\u2060\ufeff\u00ad]{1,8}/;
const joint = (): RegExp =>
  /^["'][ \t]{0,4}\+[ \t]{0,4}(?:(?:\r?\n|(?:\\{1,8}r)?\\{1,8}n)[ \t]{0,32})?(?:\\{1,15})?["']/;
/** A word after a sign of joining is looked at if it could be the rest of a token. */
const joinedCharsMin = 8;

/**
 * Reads what stands in the middle of a word and is no part of it: the colours of a search, which
 * mark what was found, characters that nobody sees, a sign that joins two texts.
 */
export function veilAt(text: string, at: number): CodedMark | undefined {
  const end = endOfVeil(text, at);
  const isQuote = text[at] === '"' || text[at] === "'";
  const start = isQuote ? at - backslashesBefore(text, at) : at;
  if (end <= at || !isWithinWord(text, start, end)) return undefined;
  return { start, end, out: "", layer: "wrapped" };
}

function endOfVeil(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code === 27 || code === 92) return skipAnsi(text, at);
  if (code === 34 || code === 39) return endOfJoint(text, at);
  return at + (widthless().exec(text.slice(at, at + 8))?.[0].length ?? 0);
}

function endOfJoint(text: string, at: number): number {
  const found = joint().exec(text.slice(at, at + 64))?.[0];
  if (found === undefined) return at;
  let end = at + found.length;
  const from = end;
  while (end - from < joinedCharsMin && isAt(text, end, charClasses.word)) end++;
  const left = at - backslashesBefore(text, at);
  return end - from < joinedCharsMin || !isHead(text, left) ? at : from;
}

/** Longest text that is the head of a token and not a line of a longer one. */
const headCharsMax = 24;

function isHead(text: string, end: number): boolean {
  let start = end;
  while (end - start <= headCharsMax && isAt(text, start - 1, charClasses.word)) start--;
  return end - start <= headCharsMax;
}

/** Whether letters, digits or the marks of tokens stand on both sides. */
function isWithinWord(text: string, start: number, end: number): boolean {
  return isAt(text, start - 1, charClasses.word) && isAt(text, end, charClasses.word);
}
