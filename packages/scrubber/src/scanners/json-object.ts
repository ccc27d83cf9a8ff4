import { type Scan, spend } from "../scan.ts";
import { type QuoteForm, quoteAt, readQuoted, type ValueSpan } from "../value.ts";
import { skipLines } from "./gap.ts";

const objectCharsMax = 4096;
const backCharsMax = 1024;
const membersMax = 48;

/** A member of an object of JSON as it stands in a text. */
export interface Member {
  readonly key: string;
  /** The text, where it is one. */
  readonly span: ValueSpan | undefined;
  /** Place where the value begins. */
  readonly at: number;
  /** What stands there if it is no text: `true`, a number, a bracket. */
  readonly bare: string;
}

/** Place of the brace that opens the object in which a place lies, or -1. */
export function openingBefore(scan: Scan, from: number): number {
  const { text } = scan;
  const stop = Math.max(0, from - backCharsMax);
  let depth = 0;
  let at = from - 1;
  for (; at >= stop; at--) {
    const code = text.charCodeAt(at);
    if (code === 125 || code === 93) depth++;
    else if ((code === 123 || code === 91) && --depth < 0) break;
  }
  spend(scan, from - at);
  return at >= stop && text[at] === "{" ? at : -1;
}

/** Reads the members of the object whose brace stands at `open`; those of others in it are passed. */
export function readObject(scan: Scan, open: number): { members: readonly Member[]; end: number } {
  const { text } = scan;
  const members: Member[] = [];
  const stop = Math.min(text.length, open + objectCharsMax);
  let at = open + 1;
  while (at < stop && members.length < membersMax) {
    at = skipLines(text, at);
    const quote = quoteAt(text, at);
    if (quote === undefined) break;
    const key = readQuoted(scan, at, quote);
    const colon = skipLines(text, key.end + quote.written.length);
    if (text[colon] !== ":") break;
    const member = readMember(scan, key.value, skipLines(text, colon + 1), stop);
    members.push(member);
    at = skipLines(text, member.end);
    if (text[at] !== ",") break;
    at++;
  }
  spend(scan, 8);
  return { members, end: at };
}

function readMember(scan: Scan, key: string, at: number, stop: number): Member & { end: number } {
  const { text } = scan;
  const quote = quoteAt(text, at);
  if (quote !== undefined) {
    const span = readQuoted(scan, at, quote);
    return { key, span, at, bare: "", end: span.end + quote.written.length };
  }
  const end = endOfBare(scan, at, stop);
  return { key, span: undefined, at, bare: text.slice(at, Math.min(end, at + 16)).trim(), end };
}

/** Place after a number, a word or a whole bracket. */
function endOfBare(scan: Scan, from: number, stop: number): number {
  const { text } = scan;
  let depth = 0;
  let at = from;
  while (at < stop) {
    const char = text[at] as string;
    if (depth === 0 && (char === "," || char === "\n")) break;
    if ("{[".includes(char)) depth++;
    else if ("}]".includes(char) && --depth < 0) break;
    const quote = '"\\&'.includes(char) ? quoteAt(text, at) : undefined;
    at = quote === undefined ? at + 1 : afterText(scan, at, quote);
  }
  spend(scan, at - from + 1);
  return at;
}

function afterText(scan: Scan, at: number, quote: QuoteForm): number {
  return readQuoted(scan, at, quote).end + quote.written.length;
}
