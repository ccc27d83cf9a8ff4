import { charClasses, isAt } from "../chars.ts";
import type { Layer } from "../finding.ts";
import { isTextCode } from "./first-bytes.ts";
import { veilAt } from "./veils.ts";

/** A stretch of a text that stands for other characters. */
export interface CodedMark {
  readonly start: number;
  readonly end: number;
  /** What it stands for; a quote of JSON stays one that is escaped. */
  readonly out: string;
  readonly layer: Layer;
}

/** Where in a text the next sign of each notation stands; the text's end if there is none. */
interface Signs {
  readonly text: string;
  readonly next: number[];
}

/** Where the next sign of a notation stands from a place on, or -1. */
type FindSign = (text: string, from: number) => number;

/** What every coded character of a notation begins with. */
const signs: readonly FindSign[] = [
  (text, from) => nextWith(text, { sign: "%", from, after: isHexAt }),
  (text, from) => nextWith(text, { sign: "&", from, after: startsEntity }),
  nextJoint,
  ...[
    "\\u00", "\\x", "\u001b[", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad",
  ].map((sign): FindSign => (text, from) => text.indexOf(sign, from)), // prettier-ignore
];

/** The next sign that is followed by what it needs: code and logs are full of others. */
function nextWith(
  text: string,
  {
    sign,
    from,
    after,
  }: {
    readonly sign: string;
    readonly from: number;
    readonly after: (text: string, at: number) => boolean;
  },
): number {
  let at = text.indexOf(sign, from);
  while (at >= 0 && !after(text, at + 1)) at = text.indexOf(sign, at + 1);
  return at;
}

/** The quote that closes a text to which a plus joins the next: JSON is full of quotes, not of these. */
function nextJoint(text: string, from: number): number {
  let plus = text.indexOf("+", from + 2);
  while (plus >= 0 && !isJoint(text, plus)) plus = text.indexOf("+", plus + 1);
  return plus < 0 ? -1 : plus - 2;
}

function isJoint(text: string, plus: number): boolean {
  if (text.charCodeAt(plus - 1) !== 32) return false;
  const quote = text.charCodeAt(plus - 2);
  return quote === 34 || quote === 39;
}

function isHexAt(text: string, at: number): boolean {
  return isAt(text, at, charClasses.anyHex);
}

function startsEntity(text: string, at: number): boolean {
  return text.charCodeAt(at) === 35 || isAt(text, at, charClasses.letter);
}

/**
 * Gives the coded characters of a text in order: `%22`, `&quot;`, `\u0022`, `\x22`. Looks for
 * nothing but their first characters, so that a text without any costs a few searches.
 */
export function* codedMarks(text: string): Generator<CodedMark> {
  const state: Signs = { text, next: signs.map((find) => indexFrom(text, find, 0)) };
  let done = 0;
  for (;;) {
    const which = nearest(state.next);
    const at = state.next[which] ?? text.length;
    if (at >= text.length) return;
    const mark = at < done ? undefined : markAt(text, at);
    state.next[which] = indexFrom(
      text,
      signs[which] as FindSign,
      Math.max(done, mark?.end ?? at + 1),
    );
    if (mark === undefined) continue;
    done = mark.end;
    yield mark;
    const blank = blankAfter(text, mark);
    if (blank === undefined) continue;
    done = blank.end;
    yield blank;
  }
}

function indexFrom(text: string, find: FindSign, from: number): number {
  const found = find(text, from);
  return found < 0 ? text.length : found;
}

function nearest(next: readonly number[]): number {
  let best = 0;
  for (let index = 1; index < next.length; index++) {
    if ((next[index] as number) < (next[best] as number)) best = index;
  }
  return best;
}

/** Reads the coded character, or what parts a word, whose sign stands at `at`. */
export function markAt(text: string, at: number): CodedMark | undefined {
  const char = text[at];
  if (char === "%") return percentAt(text, at);
  if (char === "&") return entityAt(text, at);
  return char === "\\" ? (escapeAt(text, at) ?? veilAt(text, at)) : veilAt(text, at);
}

function percentAt(text: string, at: number): CodedMark | undefined {
  const first = byteAt(text, at);
  if (first < 0) return undefined;
  if (first < 0x80) {
    if (!isTextCode(first)) return undefined;
    return { start: at, end: at + 3, out: String.fromCharCode(first), layer: "percent" };
  }
  const end = at + 3 * (first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2);
  try {
    const out = decodeURIComponent(text.slice(at, end));
    return { start: at, end, out, layer: "percent" };
  } catch {
    return undefined;
  }
}

function byteAt(text: string, at: number): number {
  const { anyHex } = charClasses;
  if (!isAt(text, at + 1, anyHex) || !isAt(text, at + 2, anyHex)) return -1;
  return Number.parseInt(text.slice(at + 1, at + 3), 16);
}

/** A plus between two percent-encoded marks is the blank of a form. */
function blankAfter(text: string, { end, layer }: CodedMark): CodedMark | undefined {
  if (layer !== "percent" || text[end] !== "+" || text[end + 1] !== "%") return undefined;
  return byteAt(text, end + 1) < 0 ? undefined : { start: end, end: end + 1, out: " ", layer };
}

const entityCharsMax = 12;
const entities: Readonly<Record<string, string>> = {
  quot: '"', QUOT: '"', amp: "&", AMP: "&", lt: "<", LT: "<", gt: ">", GT: ">", apos: "'", nbsp: " ",
  NewLine: "\n", Tab: "\t", colon: ":", equals: "=", sol: "/", bsol: "\\", commat: "@", period: ".",
  num: "#", dollar: "$", percnt: "%", plus: "+", lowbar: "_", semi: ";", comma: ",", excl: "!",
  quest: "?", ast: "*", lpar: "(", rpar: ")", lsqb: "[", lbrack: "[", rsqb: "]", rbrack: "]",
  lcub: "{", lbrace: "{", rcub: "}", rbrace: "}", verbar: "|", vert: "|", grave: "`", Hat: "^",
}; // prettier-ignore

function entityAt(text: string, at: number): CodedMark | undefined {
  if (!startsEntity(text, at + 1)) return undefined;
  const found = /^&(?:#(\d{1,6})|#[xX]([0-9a-fA-F]{1,5})|([A-Za-z]{2,8}));/.exec(
    text.slice(at, at + entityCharsMax),
  );
  if (found === null) return undefined;
  const [whole, decimal, hex, name] = found;
  const out = name === undefined ? charOf(decimal, hex) : entities[name];
  return out === undefined ? undefined : { start: at, end: at + whole.length, out, layer: "html" };
}

function charOf(decimal: string | undefined, hex: string | undefined): string | undefined {
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  return isTextCode(code) && code <= 0x10_ffff ? String.fromCodePoint(code) : undefined;
}

const depthMax = 16;

/**
 * `\u0022` and `\x22`, behind as many backslashes as JSON in JSON puts there. What they stand for
 * is written as JSON writes it at that depth, since the text around them is escaped as well.
 */
function escapeAt(text: string, at: number): CodedMark | undefined {
  const isLong = text[at + 1] === "u";
  const digits = /^\\(?:u00|x)([0-7][0-9a-fA-F])/.exec(text.slice(at, at + 6))?.[1];
  if (digits === undefined) return undefined;
  let start = at;
  while (at - start < depthMax && text[start - 1] === "\\") start--;
  const out = written(Number.parseInt(digits, 16), at - start + 1);
  return out === undefined ? undefined : { start, end: at + (isLong ? 6 : 4), out, layer: "json" };
}

const namedEscapes: Readonly<Record<number, string>> = { 10: "n", 13: "r", 9: "t" };

function written(code: number, backslashes: number): string | undefined {
  const named = namedEscapes[code];
  if (named !== undefined) return "\\".repeat(backslashes) + named;
  if (code < 0x20 || code === 0x7f) return undefined;
  const char = String.fromCharCode(code);
  if (char === '"') return "\\".repeat(2 * backslashes - 1) + char;
  return char === "\\" ? "\\".repeat(2 * backslashes) : char;
}
