import { charClasses, isAt } from "../chars.ts";
import { skipAnsi } from "../escapes.ts";
import { gapCharsMax } from "../limits.ts";
import type { Scan } from "../scan.ts";
import { type QuoteForm, quoteAt } from "../value.ts";

/** How a name is tied to its value. */
export interface Separator {
  /** Where the value begins. */
  readonly valueStart: number;
  readonly form:
    | "equals"
    | "colon"
    | "quoted"
    | "flag"
    | "element"
    | "prose"
    | "adjacent"
    | "pair"
    | "login";
  /** The quote that closed the name, if it was quoted. */
  readonly nameQuote?: QuoteForm | undefined;
  /** Blanks stood before the separator, as code has them and environment files do not. */
  readonly isSpaced: boolean;
}

/** What stands between a name and its value in a sentence. */
const verbs = /^(?:(?:is|was):? |for [\w.@-]{1,32}(?: is|:| =) ?|[-–—] )(?=\S)/;

interface Gap {
  readonly scan: Scan;
  readonly nameStart: number;
  readonly nameEnd: number;
  readonly at: number;
  readonly nameQuote: QuoteForm | undefined;
  readonly isSpaced: boolean;
}

/** Reads what ties the name that ends at `nameEnd` to a value, or nothing if nothing does. */
export function readSeparator(
  scan: Scan,
  nameStart: number,
  nameEnd: number,
): Separator | undefined {
  const { text } = scan;
  const afterName = skipAnsi(text, nameEnd);
  const nameQuote = quoteAt(text, afterName);
  const at = passMarks(text, afterName + (nameQuote?.written.length ?? 0));
  const afterBlanks = skipGap(text, at);
  const gap: Gap = {
    scan,
    nameStart,
    nameEnd,
    nameQuote,
    at: afterBlanks,
    isSpaced: afterBlanks > at,
  };
  const mark = text[afterBlanks];
  if (mark === "=") return equalsForm(gap);
  if (mark === ":" || mark === "?") return colonForm(gap);
  if (mark === ",") return commaForm(gap);
  if (mark === ">" || mark === "(") return tightForm(gap, mark);
  if (mark === "|" && gap.isSpaced) return adjacentForm(gap, mark);
  return looseForm(gap);
}

/** Passes the bracket of an index and the stars of bold text after a name. */
function passMarks(text: string, index: number): number {
  if (text[index] === "]") return index + 1;
  if (text[index] !== "*") return index;
  return text[index + 1] === "*" ? index + 2 : index + 1;
}

/** Gives the place after blanks, tabs and ANSI sequences, at most {@link gapCharsMax} on. */
export function skipGap(text: string, index: number): number {
  let at = index;
  const stop = index + gapCharsMax;
  while (at < stop) {
    const code = text.charCodeAt(at);
    if (code === 32 || code === 9) {
      at++;
      continue;
    }
    const next = code === 27 || code === 92 ? skipAnsi(text, at) : at;
    if (next === at) break;
    at = next;
  }
  return at;
}

function tie(gap: Gap, form: Separator["form"], at: number): Separator {
  const { nameQuote, isSpaced } = gap;
  return { form, nameQuote, isSpaced, valueStart: skipLiteralPrefix(gap.scan.text, at) };
}

/** Passes blanks and the letters that code puts before a string (`b"`, `r'`, `@"`). */
function skipLiteralPrefix(text: string, index: number): number {
  const at = skipGap(text, index);
  if (!"bBrRfFuUL@*".includes(text[at] ?? "x")) return at;
  const prefix = /^(?:(?:[bBrRfFuUL]{1,2}|@)(?=["'])|\*{1,2} +)/.exec(text.slice(at, at + 6));
  return at + (prefix?.[0].length ?? 0);
}

function equalsForm(gap: Gap): Separator | undefined {
  const { text } = gap.scan;
  const next = text[gap.at + 1];
  if (next === "~") return undefined;
  if (next === ">") return tie(gap, "colon", gap.at + 2);
  if (next !== "=") return tie(gap, "equals", gap.at + 1);
  const end = text[gap.at + 2] === "=" ? gap.at + 3 : gap.at + 2;
  return tie(gap, "quoted", end);
}

function colonForm(gap: Gap): Separator | undefined {
  const { text } = gap.scan;
  const isOptional = text[gap.at] === "?";
  const at = isOptional ? gap.at + 1 : gap.at;
  const next = text[at + (isOptional ? 0 : 1)];
  if (isOptional && next === "=") return tie(gap, "equals", at + 1);
  if (isOptional && next !== ":") return undefined;
  if (!isOptional && next === ":") return undefined;
  if (text[at + 1] === "=") return tie(gap, "equals", at + 2);
  const typed = /^:\s?&?[A-Za-z][\w<>|[\]' ]{0,32}? ?= ?(?=["'`])/.exec(text.slice(at, at + 48));
  if (typed !== null) return tie(gap, "quoted", at + typed[0].length);
  return tie(gap, "colon", at + 1);
}

function commaForm(gap: Gap): Separator | undefined {
  if (gap.nameQuote === undefined) return undefined;
  const pair = pairForm(gap);
  if (pair !== undefined || !opensList(gap)) return pair;
  return tie(gap, "quoted", skipLines(gap.scan.text, gap.at + 1));
}

/** The name is a flag, or the first in a call, a pair or a list: not one of many words in a row. */
function opensList(gap: Gap): boolean {
  const { text } = gap.scan;
  if (text[gap.nameStart] === "-") return true;
  const quoteStart = gap.nameStart - (gap.nameQuote?.written.length ?? 0);
  return "([{".includes(text[quoteStart - 1] ?? "x");
}

function tightForm(gap: Gap, mark: string): Separator | undefined {
  const { text } = gap.scan;
  if (gap.nameQuote !== undefined || gap.isSpaced) return undefined;
  if (mark === ">") {
    const before = text[gap.nameStart - 1];
    const isElement = before === "<" || text.slice(gap.nameStart - 4, gap.nameStart) === "&lt;";
    return isElement ? tie(gap, "element", gap.at + 1) : undefined;
  }
  const isSetter = /(?:^|\.)(?:set|with|add|use)[A-Z_]\w*$/.test(
    text.slice(gap.nameStart, gap.nameEnd),
  );
  return isSetter ? tie(gap, "quoted", gap.at + 1) : undefined;
}

function looseForm(gap: Gap): Separator | undefined {
  const { text } = gap.scan;
  const first = text[gap.at] ?? "";
  if ("%\\&".includes(first)) {
    const coded = /^(?:%3[dDaA]|\\+u003[dD]|&#61;)/.exec(text.slice(gap.at, gap.at + 12));
    if (coded !== null) return tie(gap, "equals", gap.at + coded[0].length);
  }
  if (gap.isSpaced && gap.nameQuote === undefined) return spacedForm(gap, first);
  return "\n\r\\".includes(first) || gap.nameQuote !== undefined ? pairForm(gap) : undefined;
}

function spacedForm(gap: Gap, first: string): Separator | undefined {
  const { text } = gap.scan;
  if (isFlag(text, gap.nameStart)) return tie(gap, "flag", gap.at);
  if ("iwf-–—".includes(first)) {
    const verb = verbs.exec(text.slice(gap.at, gap.at + 48));
    if (verb !== null) return tie(gap, "prose", gap.at + verb[0].length);
  }
  if (isLogin(gap)) return tie(gap, "login", gap.at);
  const pair = first === "v" || first === "\n" ? pairForm(gap) : undefined;
  return pair ?? adjacentForm(gap, first);
}

/** The value right after the name, as in `PASSWORD 'X'` or `| token | X |`: if it has a digit. */
function adjacentForm(gap: Gap, first: string): Separator | undefined {
  const { text } = gap.scan;
  const start = first === "|" ? skipGap(text, gap.at + 1) : gap.at;
  const stop = Math.min(text.length, start + 48);
  for (let at = start; at < stop; at++) {
    const code = text.charCodeAt(at);
    if (code >= 48 && code <= 57) return tie(gap, "adjacent", start);
    if (code <= 32) return undefined;
  }
  return undefined;
}

/** `name: X`, then `value: Y` beside it or on the next line. */
function pairForm(gap: Gap): Separator | undefined {
  const { text } = gap.scan;
  const comma = text[gap.at] === "," ? gap.at + 1 : gap.at;
  const at = skipLines(text, comma);
  if (at === gap.at && gap.nameQuote === undefined) return undefined;
  if (!"\\\"'vV".includes(text[at] ?? "x")) return undefined;
  const found = /^\\*["']?value\\*["']?\s{0,4}[:=]/i.exec(text.slice(at, at + 24));
  return found === null ? undefined : tie(gap, "pair", at + found[0].length);
}

/** Passes blanks and line ends, raw or escaped. */
function skipLines(text: string, index: number): number {
  let at = index;
  const stop = index + gapCharsMax;
  while (at < stop) {
    const code = text.charCodeAt(at);
    if (code === 32 || (code >= 9 && code <= 13)) at++;
    else if (code === 92 && /^\\+[nrt]/.test(text.slice(at, at + 9))) at = afterEscape(text, at);
    else break;
  }
  return at;
}

function afterEscape(text: string, index: number): number {
  let at = index;
  while (text[at] === "\\") at++;
  return at + 1;
}

function isFlag(text: string, nameStart: number): boolean {
  if (text[nameStart] !== "-") return false;
  return nameStart === 0 || !isAt(text, nameStart - 1, charClasses.alnum);
}

/** `login X password Y`, as `.netrc` has it. */
function isLogin(gap: Gap): boolean {
  const { text } = gap.scan;
  if (gap.nameEnd - gap.nameStart !== 8) return false;
  return /(?:^|\s|\\n)login\s+\S+(?:\s|\\n)+$/.test(
    text.slice(Math.max(0, gap.nameStart - 96), gap.nameStart),
  );
}
