import { skipAnsi } from "./escapes.ts";
import { type Scan, spend } from "./scan.ts";

const windowChars = 112;
/** Blank lines between a name and its value that are passed. */
const blankLinesMax = 2;

/** A line end, raw or escaped at any depth. */
const lineEnd = (): RegExp => /^[ \t]{0,16}(?:\r?\n|\\+r\\+n|\\+n)/;
/**
 * What tools put before the lines that they show: signs of a diff, numbers, the file and line of a
 * search, the name of a service, times, marks of quotes and comments.
 */
const lead = (): RegExp =>
  /^(?:-- |[+-]|\[?\d{4}-\d\d-\d\d[T ][\d:.,+Z]{5,24}\]? |[^\s:]{1,64}:\d{1,6}[:-]|\d{1,6}[:-]|[ \t]{0,8}\d{1,6}(?:→|\t|\\+t)|[\w.-]{1,32}[ \t]{1,8}\| |(?:> ?){1,4}|(?:#|\/\/|\*|;) )/;
const indent = (): RegExp => /^(?:[ \t]|\\+t){0,64}/;

/**
 * Gives the place where what is written on the next line begins, with blank lines and what tools
 * put before lines passed; -1 if the line goes on after `index`.
 */
export function nextLineStart(scan: Scan, index: number): number {
  const { text } = scan;
  let at = skipAnsi(text, index);
  let lines = 0;
  while (lines <= blankLinesMax) {
    const end = lineEnd().exec(text.slice(at, at + 48));
    if (end === null) break;
    at = afterLead(text, at + end[0].length);
    lines++;
  }
  spend(scan, Math.min(at - index, windowChars) + 16);
  return lines === 0 || at >= text.length ? -1 : at;
}

/** Whether nothing but blanks and colours stands between `index` and the end of its line. */
export function endsLine(text: string, index: number): boolean {
  const at = skipAnsi(text, index);
  const rest = text.slice(at, at + 48);
  return /^(?:\.{3}|…)?[ \t]*(?:$|\r|\n|\\+[rn]|["'`]|&quot;|<\/)/.test(rest);
}

function afterLead(text: string, index: number): number {
  let at = skipAnsi(text, index);
  at += lead().exec(text.slice(at, at + windowChars))?.[0].length ?? 0;
  at += indent().exec(text.slice(at, at + 64))?.[0].length ?? 0;
  return skipAnsi(text, at);
}
