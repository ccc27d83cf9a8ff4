import { charClasses, isAt } from "./chars.ts";
import { backslashesBefore, unescapeJson } from "./escapes.ts";
import { quotedCharsMax } from "./limits.ts";
import { nextLineStart } from "./line-lead.ts";
import { type Scan, spend } from "./scan.ts";

/** A value as it stands in the text. */
export interface ValueSpan {
  readonly start: number;
  readonly end: number;
  /** The quote as written, escapes included; empty for a bare value. */
  readonly quote: string;
  /** The value without escapes. */
  readonly value: string;
}

/** A quote as written, and how deep in escapes it is. */
export interface QuoteForm {
  readonly written: string;
  readonly char: string;
  /** Levels of JSON escaping; -1 for quotes written as an entity or code. */
  readonly level: number;
}

const backslash = 92;
/** Percent-encoded marks that no value goes over: quotes, ampersand, blanks, line ends, angles. */
const endMarks = (): RegExp => /^%(?:2[0267]|0[aAdD]|3[cCeE])/;
const writtenQuotes = ["&quot;", "&#34;", "&apos;", "&#39;", "%22", "%27"];

/** Gives the quote that stands at `index`, at any depth of escaping. */
export function quoteAt(text: string, index: number): QuoteForm | undefined {
  const code = text.charCodeAt(index);
  if (code === 34 || code === 39 || code === 96) return plainQuote(text, index);
  if (code === backslash) return escapedQuote(text, index);
  if (code !== 38 && code !== 37) return undefined;
  const written = writtenQuotes.find((each) => text.startsWith(each, index));
  if (written === undefined) return undefined;
  return tripleAt(text, index, written) ?? { written, char: written, level: -1 };
}

/** Reads the value at `index`: quoted at any depth, and then of so many characters, or bare. */
export function readValue(scan: Scan, index: number, charsMax: number = quotedCharsMax): ValueSpan {
  const quote = quoteAt(scan.text, index);
  return quote === undefined ? readBare(scan, index) : readQuoted(scan, index, quote, charsMax);
}

/** Reads the quoted value whose opening quote stands at `index`. */
export function readQuoted(
  scan: Scan,
  index: number,
  quote: QuoteForm,
  charsMax: number = quotedCharsMax,
): ValueSpan {
  const opened = index + quote.written.length;
  const closed =
    quote.level < 0 ? writtenEnd(scan, opened, quote) : leveledEnd(scan, opened, quote, charsMax);
  const start = opensLine(scan.text, opened)
    ? Math.max(opened, nextLineStart(scan, opened))
    : opened;
  const end = withoutTail(scan.text, start, Math.max(start, closed));
  const raw = scan.text.slice(start, end);
  return { start, end, quote: quote.written, value: unescapeTimes(raw, quote) };
}

/** A line end right after an opening quote of many lines. */
function opensLine(text: string, index: number): boolean {
  const first = text.charCodeAt(index);
  if (first === 10 || first === 13 || first === 27) return true;
  return first === backslash && /^\\+(?:r\\+)?n/.test(text.slice(index, index + 16));
}

/**
 * Where a value ends without the line end before its closing quote, or, if it was cut off, without
 * the dots that say so and what comes after them.
 */
function withoutTail(text: string, start: number, end: number): number {
  if (end - start > quotedCharsMax) return end;
  const tail = text.slice(Math.max(start, end - 64), end);
  const cut =
    end - start < ellipsisFrom ? null : /(?:\.{3}|…)(?: ?[[(][^[\]()]{0,48}[\])])?$/.exec(tail);
  if (cut !== null) return end - cut[0].length;
  const isLineEnd = /[\\\s](?:n|\s)?$/.test(tail);
  const line = isLineEnd ? /(?:\s|\\+[nr])+$/.exec(tail) : null;
  return line === null ? end : end - line[0].length;
}

/** Of a shorter value the dots may stand for most: that is a mask, and no value that was cut off. */
const ellipsisFrom = 24;

/**
 * Reads the bare value at `index`: up to white space, a quote, an escaped line end, or a mark
 * that begins the next pair (`&user=`, `;Port=`, `,"x":`).
 */
export function readBare(scan: Scan, index: number): ValueSpan {
  let end = bareEnd(scan, index);
  while (end > index && ",;)]}.".includes(scan.text[end - 1] ?? "")) end--;
  const value = scan.text.slice(index, end);
  return { start: index, end, quote: "", value };
}

function plainQuote(text: string, index: number): QuoteForm {
  const char = text[index] as string;
  return tripleAt(text, index, char) ?? { written: char, char, level: 0 };
}

/** Three of a quote, which open a text of many lines. */
function tripleAt(text: string, index: number, written: string): QuoteForm | undefined {
  if (!text.startsWith(written, index + written.length)) return undefined;
  const triple = written.repeat(3);
  return text.startsWith(triple, index) ? { written: triple, char: triple, level: -1 } : undefined;
}

function escapedQuote(text: string, index: number): QuoteForm | undefined {
  let at = index;
  while (text.charCodeAt(at) === backslash && at - index < 63) at++;
  const count = at - index;
  const char = text[at] ?? "";
  if (char === '"' || char === "'" || char === "`") {
    const level = levelOf(count);
    const written = text.slice(index, at + 1);
    return level < 0 ? undefined : (tripleAt(text, index, written) ?? { written, char, level });
  }
  const coded = /^u002[27]|^x2[27]/.exec(text.slice(at, at + 5));
  if (coded === null) return undefined;
  const written = text.slice(index, at) + coded[0];
  return tripleAt(text, index, written) ?? { written, char: written, level: -1 };
}

/** Levels of escaping that turn a bare quote into one with `count` backslashes; -1 for none. */
function levelOf(count: number): number {
  let rest = count;
  let level = 0;
  while (rest > 0) {
    if (rest % 2 === 0) return -1;
    rest = (rest - 1) / 2;
    level++;
  }
  return level;
}

function writtenEnd(scan: Scan, start: number, quote: QuoteForm): number {
  const window = scan.text.slice(start, start + quotedCharsMax);
  const found = window.indexOf(quote.written);
  const length = found < 0 ? bareEnd(scan, start) - start : found;
  spend(scan, length + 1);
  return start + length;
}

function leveledEnd(scan: Scan, start: number, quote: QuoteForm, charsMax: number): number {
  const { text } = scan;
  const code = quote.char.charCodeAt(0);
  const stop = Math.min(text.length, start + charsMax);
  let at = start;
  let end = -1;
  while (end < 0 && at < stop) {
    const here = text.charCodeAt(at);
    if (here === 10) break;
    if (here === code) end = closingStart(text, { at, start }, quote.level);
    at++;
  }
  spend(scan, at - start + 1);
  if (end >= 0) return Math.max(start, end);
  return isHighSurrogate(text, at - 1) ? at - 1 : trimReturn(text, at);
}

/** Where the closing quote begins if the quote at `at` closes, else -1. */
function closingStart(text: string, place: { at: number; start: number }, level: number): number {
  const count = Math.min(backslashesBefore(text, place.at), place.at - place.start);
  let rest = count;
  for (let step = 0; step < level; step++) {
    if (rest % 2 === 0) return place.at;
    rest = (rest - 1) / 2;
  }
  return rest % 2 === 0 ? place.at - (2 ** level - 1) : -1;
}

function unescapeTimes(raw: string, quote: QuoteForm): string {
  const times = quote.char === '"' ? quote.level + 1 : quote.level;
  let value = raw;
  for (let step = 0; step < times && value.includes("\\"); step++) value = unescapeJson(value);
  return value;
}

function bareEnd(scan: Scan, start: number): number {
  if (start >= scan.bareFrom && start < scan.bareEnd) return scan.bareEnd;
  const { text } = scan;
  let at = start;
  while (at < text.length) {
    const next = stepBare(text, at);
    if (next < 0) break;
    at = next;
  }
  spend(scan, at - start + 1);
  scan.bareFrom = start;
  scan.bareEnd = at;
  return at;
}

/** Place after the piece of a bare value at `at`, or -1 where the value ends. */
function stepBare(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (isAt(text, at, charClasses.word)) return at + 1;
  if (code <= 32 || "\"'`<>…".includes(text[at] as string)) return -1;
  if (code === backslash) return stepBackslashes(text, at);
  const isEnd = code === 37 ? endMarks().test(text.slice(at, at + 3)) : endsPair(text, at);
  return isEnd ? -1 : at + 1;
}

function stepBackslashes(text: string, at: number): number {
  let end = at;
  while (text.charCodeAt(end) === backslash && end - at < 64) end++;
  const next = text[end];
  return next === undefined || /[nrtuxe0"'`\s]/.test(next) ? -1 : end + 1;
}

/** Whether a mark ends the pair: the text ends, or the next pair or a closing mark follows. */
function endsPair(text: string, at: number): boolean {
  if (!",;&)]}|".includes(text[at] as string)) return false;
  const rest = text.slice(at + 1, at + 34);
  if (text[at] === "&" && rest.startsWith("?")) return false;
  if (rest === "" || /^[\s"'`<>,;:=.?(){}[\]&|\\]/.test(rest)) return true;
  return (
    /^(?:amp;|quot;|apos;|lt;|gt;|#\d{2,4};)/.test(rest) ||
    /^[A-Za-z_$][\w.$ -]{0,30}[=:]/.test(rest)
  );
}

function isHighSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xd800 && code <= 0xdbff;
}

function trimReturn(text: string, end: number): number {
  return text.charCodeAt(end - 1) === 13 ? end - 1 : end;
}
