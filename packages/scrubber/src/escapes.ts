import { bitsAt, charClasses, isAt } from "./chars.ts";

const backslash = 92;
const escapeChar = 27;
const ansiParamsMax = 24;

/** Counts the backslashes that stand directly before `index`, looking back at most 64. */
export function backslashesBefore(text: string, index: number): number {
  let count = 0;
  while (count < 64 && text.charCodeAt(index - count - 1) === backslash) count++;
  return count;
}

/**
 * Whether a token may begin at `index`: no letter or digit stands before it, or the one that
 * does ends an escape (`\n`, `\u0022`, `%3D`, a colour).
 */
export function startsToken(text: string, index: number): boolean {
  if (!isAt(text, index - 1, charClasses.alnum)) return true;
  return endsEscape(text, index);
}

/** Whether an escape sequence ends directly before `index`. */
export function endsEscape(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 2);
  const last = text[index - 1] ?? "";
  if (before === backslash) return "nrtbf0".includes(last);
  if (isAt(text, index - 1, charClasses.anyHex) && endsHexEscape(text, index)) return true;
  return isAt(text, index - 1, charClasses.letter) && endsAnsi(text, index);
}

/** `%3D`, `\u0022` and `\x22`. */
function endsHexEscape(text: string, index: number): boolean {
  if (text[index - 3] === "%") return isAt(text, index - 2, charClasses.anyHex);
  if (text[index - 5] === "u") return text[index - 6] === "\\";
  return text[index - 3] === "x" && text[index - 4] === "\\";
}

/**
 * Gives the place after the letters at `start` that belong to an escape or colour which a
 * backward walk ran into, looking no further than `stop`.
 */
export function skipEscapeTail(text: string, start: number, stop: number): number {
  const before = text.charCodeAt(start - 1);
  if (before !== backslash && before !== 91 && before !== 37 && before !== 59) return start;
  for (let at = start; at < Math.min(stop, start + 8); at++) {
    if (endsEscape(text, at + 1)) return at + 1;
  }
  return start;
}

/** Gives the place after any ANSI sequences at `index`, raw or written as escapes. */
export function skipAnsi(text: string, index: number): number {
  let at = index;
  for (let count = 0; count < 4; count++) {
    const next = ansiEnd(text, at);
    if (next === at) break;
    at = next;
  }
  return at;
}

/** Undoes JSON string escapes once; what is no escape stays as it is. */
export function unescapeJson(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replaceAll(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (whole, hex: string, char: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    return singleEscapes[char] ?? (/["'\\/`]/.test(char) ? char : whole);
  });
}

/** Undoes percent-encoding; gives the text itself if it is not validly encoded. */
export function unescapePercent(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const singleEscapes: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  b: "\b",
  f: "\f",
};

function endsAnsi(text: string, index: number): boolean {
  let at = index - 2;
  while (index - at < ansiParamsMax && isAnsiParameter(text.charCodeAt(at))) at--;
  if (text[at] !== "[") return false;
  if (text.charCodeAt(at - 1) === escapeChar) return true;
  return /\\(?:u001[bB]|x1[bB]|033|e)$/.test(text.slice(Math.max(0, at - 8), at));
}

/** A digit, or what stands between two numbers. */
function isAnsiParameter(code: number): boolean {
  return (code >= 48 && code <= 57) || code === 59;
}

function ansiEnd(text: string, index: number): number {
  const bracket = ansiBracket(text, index);
  if (bracket < 0) return index;
  let at = bracket + 1;
  while (at - bracket < ansiParamsMax && (bitsAt(text, at) & charClasses.letter) === 0) at++;
  return at - bracket < ansiParamsMax ? at + 1 : index;
}

function ansiBracket(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code === escapeChar) return text[index + 1] === "[" ? index + 1 : -1;
  if (code !== backslash) return -1;
  const written = /^\\+(?:u001b|x1b|033|e)\[/i.exec(text.slice(index, index + 24));
  return written === null ? -1 : index + written[0].length - 1;
}
