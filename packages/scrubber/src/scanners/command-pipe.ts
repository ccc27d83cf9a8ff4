import { type Scan, spend } from "../scan.ts";
import type { ValueSpan } from "../value.ts";
import { readWord, type Word } from "./command-words.ts";

const pipedCharsMax = 320;
/** What may stand between a pipe and the command: `sudo`, settings, a path. */
const lead = (): RegExp =>
  /\|[ \t]*(?:sudo[ \t]+(?:-[\w-]+[ \t]+){0,3})?(?:[A-Z_]{2,32}=[^\s|]{1,64}[ \t]+){0,3}[\w./~-]{0,64}$/;

/** Finds the words that `echo` or `printf` pipes into the command that begins at a place. */
export function findPiped(scan: Scan, commandStart: number): readonly Word[] {
  const { text } = scan;
  const windowStart = Math.max(0, commandStart - pipedCharsMax);
  const window = text.slice(windowStart, commandStart);
  const line = window.slice(window.lastIndexOf("\n") + 1);
  spend(scan, 32);
  if (!line.includes("|")) return [];
  const pipe = lead().exec(line.slice(-160));
  if (pipe === null) return [];
  spend(scan, line.length);
  const lineStart = windowStart + window.length - line.length;
  const pipeAt = lineStart + line.length - Math.min(160, line.length) + pipe.index;
  const before = text.slice(lineStart, pipeAt);
  const echoed = findEchoed(scan, lineStart, before);
  return echoed.length > 0 ? echoed : findString(scan, lineStart, before);
}

/** The word after `echo`; all but the first after `printf`, which is a form. */
function findEchoed(scan: Scan, lineStart: number, before: string): readonly Word[] {
  const place = Math.max(before.lastIndexOf("echo "), before.lastIndexOf("printf "));
  if (place < 0 || !beginsWord(before, place)) return [];
  const from = place + before.slice(place).indexOf(" ");
  const words = readEchoed(scan, lineStart + from, lineStart + before.length);
  if (words.length === 1) return words;
  return words[0]?.text.includes("%") === true ? words.slice(1) : [];
}

/** A line end written as an escape ends in a letter, and begins no word. */
function beginsWord(text: string, at: number): boolean {
  return !/[\w-]/.test(text[at - 1] ?? " ") || text.slice(0, at).endsWith("\\n");
}

function readEchoed(scan: Scan, from: number, end: number): readonly Word[] {
  const words: Word[] = [];
  let at = from;
  while (words.length < 8) {
    while (scan.text[at] === " " && at < end) at++;
    const word = at < end ? readWord(scan, at) : undefined;
    if (word === undefined) break;
    if (!/^-[neE]{1,3}$/.test(word.text)) words.push(word);
    at = word.end;
  }
  return words;
}

/** A string that PowerShell pipes: `"…" | command`. */
function findString(scan: Scan, lineStart: number, before: string): readonly Word[] {
  const string = /(?:^|[\s;(=])\\{0,7}(["'])([^"'|\\]{3,128})\\{0,7}\1[ \t]*$/.exec(before);
  if (string === null) return [];
  const at = before.indexOf(string[1] as string, string.index);
  const slashes = /\\*$/.exec(before.slice(0, at))?.[0].length ?? 0;
  const word = readWord(scan, lineStart + at - slashes);
  return word === undefined ? [] : [word];
}

const printedCharsMax = 640;

/** A token that a service signs for a user may be as long. */
const valueCharsMax = 4200;

/** Length of a line in which a command asks for what it needs first. */
function promptChars(lines: string): number {
  const asked =
    /^(?:[?✔>] )?[^\n:]{0,72}(?:passw(?:or)?d|passphrase|e-?mail|code|user(?:name)?)[^\n:]{0,32}:[^\n]{0,32}(?:\r?\n|(?:\\+r)?\\+n(?=\S))/i;
  return asked.exec(lines)?.[0].length ?? 0;
}

/** The only word of the line after the one that holds a place; none if it is not alone. */
export function printedLine(scan: Scan, from: number): ValueSpan | undefined {
  const window = scan.text.slice(from, from + printedCharsMax);
  const end = /\r?\n|(?:\\+r)?\\+n(?=\S)/.exec(window);
  spend(scan, end === null ? 64 : end.index + 1);
  if (end === null) return undefined;
  const next = from + end.index + end[0].length;
  const at = next + promptChars(scan.text.slice(next, next + 160));
  const rest = scan.text.slice(at, at + valueCharsMax);
  // oxlint-disable-next-line no-control-regex -- colours begin with one
  const line = /^((?:\u001b\[[\d;]{1,8}m|[ +>]|\d{1,5}(?:\t|→|:)){0,8}(?:\\{0,7}")?)([^\s"'\\\u001b<>]{8,4096})(?=\s|["\\\u001b<]|$)[ \t]*(?:\r?\n|\\|"|\u001b|<|$)/.exec(rest); // prettier-ignore
  if (line === null) return undefined;
  const start = at + (line[1] as string).length;
  const value = line[2] as string;
  spend(scan, value.length);
  return { start, end: start + value.length, quote: "", value };
}

const rowsMax = 8;

/** Keys that end the lines after a command, as rows with tabs or blanks between their cells have them. */
export function printedKeys(scan: Scan, from: number): readonly ValueSpan[] {
  const keys: ValueSpan[] = [];
  const window = scan.text.slice(from, from + 2 * printedCharsMax);
  spend(scan, 64);
  const ends = window.matchAll(/[\t ]([\w+/]{40,128}={1,2}) {0,8}(?=\r?\n|\\|$)/g);
  for (const { index, 1: value = "" } of ends) {
    if (keys.length === rowsMax || !window.slice(0, index).includes("\n")) break;
    const start = from + index + 1;
    keys.push({ start, end: start + value.length, quote: "", value });
  }
  return keys;
}
