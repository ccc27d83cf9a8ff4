import { skipAnsi } from "../escapes.ts";
import { type Scan, spend } from "../scan.ts";
import { quoteAt, readQuoted, type ValueSpan } from "../value.ts";
import { skipGap } from "./separator.ts";

const lineCharsMax = 1024;
const wordsMax = 48;

/** One argument: a bare piece, and the quoted one that ends it or is all of it. */
export interface Word {
  readonly start: number;
  readonly end: number;
  /** The argument without quotes and escapes. */
  readonly text: string;
  /** Length of the bare piece. */
  readonly bare: number;
  readonly quoted: ValueSpan | undefined;
  /** A name or a number in a list of arguments: code, and never a value. */
  readonly isCode: boolean;
}

/** The arguments of a command, up to the end of its line or to the next command. */
export interface CommandLine {
  readonly words: readonly Word[];
  /** The word after `<<<`, or the first line of a here-document. */
  readonly fed: Word | undefined;
}

interface Reading {
  readonly scan: Scan;
  readonly stop: number;
  readonly words: Word[];
  fed: Word | undefined;
}

/**
 * Reads the arguments that follow a command's name: of a shell line, continued over line ends,
 * or, where the name was a string of its own, of the list of strings that it begins.
 */
export function readCommand(scan: Scan, from: number): CommandLine {
  const stop = Math.min(scan.text.length, from + lineCharsMax);
  const reading: Reading = { scan, stop, words: [], fed: undefined };
  const quote = quoteAt(scan.text, from);
  const end =
    quote === undefined ? readShell(reading, from) : readList(reading, from + quote.written.length);
  spend(scan, end - from + 1);
  scan.commandEnd = Math.max(scan.commandEnd, end);
  return { words: reading.words, fed: reading.fed };
}

/** The part of a word from an offset in its text on, as it stands in the text. */
export function partOf(word: Word, offset: number): ValueSpan {
  const { quoted, bare, start, end, text } = word;
  const value = text.slice(offset);
  if (quoted === undefined || offset < bare) {
    return { start: start + offset, end: quoted?.end ?? end, quote: "", value };
  }
  const isPlain = quoted.end - quoted.start === quoted.value.length;
  const skipped = isPlain ? offset - bare : 0;
  return { ...quoted, start: quoted.start + skipped, value };
}

function readShell(reading: Reading, from: number): number {
  const { scan, stop, words } = reading;
  let at = skipJoint(scan.text, from);
  while (at < stop && words.length < wordsMax) {
    const redirected = redirection(reading, at);
    if (redirected > at) {
      at = redirected;
      continue;
    }
    const word = readWord(scan, at);
    if (word === undefined) break;
    words.push(word);
    const next = skipJoint(scan.text, word.end);
    if (next === word.end) break;
    at = next;
  }
  return at;
}

/** Place after a redirection and what it names; the word after `<<<` is kept. */
function redirection(reading: Reading, at: number): number {
  const { scan } = reading;
  const mark = scan.text[at];
  if (mark !== "<" && mark !== ">" && !/^\d>/.test(scan.text.slice(at, at + 2))) return at;
  const sign = /^\d?(?:<<<|<<-?|>>|[<>]&?)/.exec(scan.text.slice(at, at + 4))?.[0] ?? mark ?? "";
  const from = skipGap(scan.text, at + sign.length);
  const word = readWord(scan, from);
  if (word === undefined) return from;
  if (sign === "<<<") reading.fed = word;
  if (sign.startsWith("<<") && sign !== "<<<") {
    reading.fed = readWord(scan, skipLineEnd(scan.text, word.end));
  }
  return skipJoint(scan.text, word.end);
}

/** Place after one line end, raw or escaped, and the blanks after it. */
function skipLineEnd(text: string, at: number): number {
  const end = /^[ \t]{0,8}(?:\r?\n|\\{1,8}n)[ \t]{0,8}/.exec(text.slice(at, at + 32));
  return at + (end?.[0].length ?? 0);
}

/** Passes blanks, colours, and line ends that a backslash takes back. */
function skipJoint(text: string, index: number): number {
  let at = skipGap(text, index);
  for (let count = 0; count < 8 && text[at] === "\\"; count++) {
    const joint = /^\\+(?:\r?\n|r?\\*n)[ \t]{0,32}(?:[+>] ?|\d{1,5}(?:\t|→|:))?[ \t]{0,32}/.exec(
      text.slice(at, at + 96),
    );
    if (joint === null || !isContinued(joint[0])) break;
    at = skipGap(text, at + joint[0].length);
  }
  return at;
}

/** One backslash before a raw line end; three for each level before one written as an escape. */
function isContinued(joint: string): boolean {
  const slashes = /^\\+/.exec(joint)?.[0].length ?? 0;
  return /^\\+\r?\n/.test(joint) ? slashes === 1 : slashes % 3 === 0;
}

/** Reads one word of a shell line; none where the command ends. */
export function readWord(scan: Scan, start: number): Word | undefined {
  const { text } = scan;
  const bareEnd = endOfBare(text, start);
  const quote = quoteAt(text, bareEnd);
  if (quote !== undefined && (bareEnd === start || opensInside(text.slice(start, bareEnd)))) {
    const quoted = readQuoted(scan, bareEnd, quote);
    const after = quoted.end + quote.written.length;
    if (bareEnd === start || !/^[,}\])\s]|^\\/.test(quoted.value)) {
      const head = text.slice(start, bareEnd);
      return {
        start,
        end: Math.max(after, quoted.end),
        text: head + quoted.value,
        bare: head.length,
        quoted,
        isCode: false,
      };
    }
  }
  let end = bareEnd;
  while (end > start && ",)]}".includes(text[end - 1] as string)) end--;
  if (end === start) return undefined;
  const bare = text.slice(start, end);
  return { start, end, text: bare, bare: bare.length, quoted: undefined, isCode: false };
}

/** Whether a quote after this goes on with the word: `-p"…"`, `--body="…"`, `user:'…'`. */
function opensInside(head: string): boolean {
  return /[=:%]$/.test(head) || /^--?[A-Za-z]{1,2}$/.test(head);
}

function endOfBare(text: string, start: number): number {
  let at = start;
  const slashes = drive(text, start);
  while (at < text.length && at - start < lineCharsMax) {
    const code = text.charCodeAt(at);
    if (code <= 32 || "\"'`|;<>&…".includes(text[at] as string)) break;
    if (code === 92 && slashes !== "" && isFolder(text, at, slashes)) {
      at += slashes.length;
      continue;
    }
    if (code === 92) {
      const share = at === start ? shareChars(text, at) : 0;
      if (share > 0) {
        at += share;
        continue;
      }
      if (endsAtBackslash(text, at)) break;
      at++;
    }
    at++;
  }
  return Math.min(at, text.length);
}

/** The backslashes after a drive's letter (`c:\temp`), which part its folders as well. */
function drive(text: string, start: number): string {
  if (text[start + 1] !== ":" || text[start + 2] !== "\\") return "";
  return /^[A-Za-z]:(\\{1,4})(?=[\w.$~-])/.exec(text.slice(start, start + 8))?.[1] ?? "";
}

/** As many backslashes as after the drive's letter: of a line end, that is written as one, there are fewer. */
function isFolder(text: string, at: number, slashes: string): boolean {
  const end = at + slashes.length;
  return text.startsWith(slashes, at) && /[\w.$~-]/.test(text[end] ?? " ") && text[end] !== "\\";
}

/** Length of the backslashes of `\\\\nas\\share`, however often escaped: they begin like a line end in code. */
function shareChars(text: string, at: number): number {
  const share = /^(\\{2,32})[A-Za-z][\w.-]{1,32}(\\{1,16})[\w$.-]/.exec(text.slice(at, at + 84));
  const [, lead = "", part = ""] = share ?? [];
  return lead.length === 2 * part.length ? lead.length : 0;
}

/** A line end or a mark of the shell written as an escape, a quote, or a colour. */
function endsAtBackslash(text: string, at: number): boolean {
  if (skipAnsi(text, at) > at || quoteAt(text, at) !== undefined) return true;
  return /^\\+(?:[nrt](?![A-Za-z0-9])|[nrt]|u00(?:2[267]|3[ce]|7c)|$|\r?\n)/i.test(
    text.slice(at, at + 40),
  );
}

function readList(reading: Reading, from: number): number {
  const { scan, stop, words } = reading;
  let at = from;
  while (at < stop && words.length < wordsMax) {
    const joint = /^(?:\s|\\{1,8}[nrt]|[,[(&]){1,24}/.exec(scan.text.slice(at, at + 64));
    if (joint === null || !joint[0].includes(",")) break;
    at += joint[0].length;
    const quote = quoteAt(scan.text, at);
    const word = quote === undefined ? readCode(scan.text, at) : readString(scan, at);
    if (word === undefined) break;
    words.push(word);
    at = word.end;
  }
  return at;
}

function readString(scan: Scan, at: number): Word | undefined {
  const quote = quoteAt(scan.text, at);
  if (quote === undefined) return undefined;
  const quoted = readQuoted(scan, at, quote);
  const end = quoted.end + quote.written.length;
  return { start: at, end, text: quoted.value, bare: 0, quoted, isCode: false };
}

function readCode(text: string, at: number): Word | undefined {
  const code = /^[\w.$*&]{1,64}/.exec(text.slice(at, at + 64))?.[0];
  if (code === undefined) return undefined;
  const end = at + code.length;
  return { start: at, end, text: code, bare: code.length, quoted: undefined, isCode: true };
}
