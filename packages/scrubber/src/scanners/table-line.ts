import { type Scan, spend } from "../scan.ts";

/** Characters of a line that are looked at. */
export const lineCharsMax = 400;

/** A line of a table, as it stands or with its end escaped. */
export interface Line {
  readonly start: number;
  readonly end: number;
  /** Where the next line begins; where this one does if it is the last. */
  readonly next: number;
}

/** Where the line begins that holds a place. */
export function lineStart(text: string, at: number): number {
  const window = text.slice(Math.max(0, at - lineCharsMax), at);
  const bare = window.lastIndexOf("\n") + 1;
  const escaped = window.slice(bare).lastIndexOf("\\n");
  return at - window.length + bare + (escaped < 0 ? 0 : escaped + 2);
}

/** The line that begins at a place. */
export function lineAt(scan: Scan, start: number): Line {
  const window = scan.text.slice(start, start + lineCharsMax);
  const found = /\r?\n|(?:\\+r)?\\+n/.exec(window);
  spend(scan, (found?.index ?? window.length) + 1);
  if (found === null) return { start, end: start + window.length, next: start };
  return { start, end: start + found.index, next: start + found.index + found[0].length };
}

/** Where the line ends that stands before the one that begins at a place. */
export function lineEndBefore(text: string, start: number): number {
  const end = /(?:\r?\n|(?:\\+r)?\\+n)$/.exec(text.slice(Math.max(0, start - 16), start));
  return start - (end?.[0].length ?? 1);
}
