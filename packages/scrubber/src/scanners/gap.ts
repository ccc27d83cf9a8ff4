import { charClasses, isAt } from "../chars.ts";
import { skipAnsi } from "../escapes.ts";
import { gapCharsMax } from "../limits.ts";
import type { Scan } from "../scan.ts";
import type { QuoteForm } from "../value.ts";

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
    | "cell"
    | "line"
    | "default"
    | "pair"
    | "login";
  /** The quote that closed the name, if it was quoted. */
  readonly nameQuote?: QuoteForm | undefined;
  /** Blanks stood before the separator, as code has them and environment files do not. */
  readonly isSpaced: boolean;
  /** A call of some function stands around the value: it may be a name as well. */
  readonly isWrapped?: boolean;
  /** A program takes the value where the setting is absent. */
  readonly isFallback?: boolean;
}

export interface Gap {
  readonly scan: Scan;
  readonly nameStart: number;
  readonly nameEnd: number;
  readonly at: number;
  readonly nameQuote: QuoteForm | undefined;
  readonly isSpaced: boolean;
}

export function tie(gap: Gap, form: Separator["form"], at: number): Separator {
  const { nameQuote, isSpaced, scan } = gap;
  const start = skipLiteralPrefix(scan.text, at);
  return { form, nameQuote, isSpaced, valueStart: start };
}

/** Passes blanks and the letters that code puts before a string (`b"`, `r'`, `@"`). */
function skipLiteralPrefix(text: string, index: number): number {
  const at = skipGap(text, index);
  if ("!&".includes(text[at] ?? "x")) return at + yamlMarks(text, at);
  if (text.startsWith("string(", at)) {
    return at + (/^string\(\d{1,6}\) (?=\\*")/.exec(text.slice(at, at + 24))?.[0].length ?? 0);
  }
  if (!"bBrRfFuUL@*0".includes(text[at] ?? "x")) return at;
  // A debugger shows where a text lies before it.
  const prefix =
    /^(?:0x[\da-f]{1,16} (?=\\*")|(?:[bBrRfFuUL]{1,2}|@)(?=\\*["']|\\+u002[27]|&quot;|&#3[49];)|\*{1,2} +)/.exec(
      text.slice(at, at + 24),
    );
  return at + (prefix?.[0].length ?? 0);
}

/** Length of the tag or the anchor that YAML has before a value: `!!str X`, `&name X`. */
function yamlMarks(text: string, at: number): number {
  const marks =
    /^(?:(?:!!?[A-Za-z][\w:/.-]{0,32}|!<[^<>\s]{1,64}>|&[A-Za-z][\w-]{0,32}) +){1,2}(?=\S)/.exec(
      text.slice(at, at + 160),
    );
  return marks === null || /^!(?:Ref|Sub|vault|secret|GetAtt|ImportValue|env)\b/i.test(marks[0])
    ? 0
    : marks[0].length;
}

/** Gives the place after blanks, tabs and ANSI sequences, at most {@link gapCharsMax} on. */
export function skipGap(text: string, index: number): number {
  let at = index;
  const stop = index + gapCharsMax;
  while (at < stop) {
    const code = text.charCodeAt(at);
    if (code === 32 || code === 9 || code === 0x20_0b || code === 0xfe_ff) {
      at++;
      continue;
    }
    const next = code === 27 || code === 92 ? skipAnsi(text, at) : at;
    if (next === at) break;
    at = next;
  }
  return at;
}

/** Passes blanks and line ends, raw or escaped. */
export function skipLines(text: string, index: number): number {
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

/** The upright line of a table, in Markdown or drawn. */
export function isBar(mark: string): boolean {
  return mark === "|" || mark === "│" || mark === "┃" || mark === "║";
}

/** `<name>` or `&lt;name&gt;`. */
export function isOpened({ scan: { text }, nameStart }: Gap): boolean {
  if (text[nameStart - 1] === ":") {
    return /<[\w-]{1,24}:$/.test(text.slice(Math.max(0, nameStart - 26), nameStart));
  }
  return text[nameStart - 1] === "<" || text.slice(nameStart - 4, nameStart) === "&lt;";
}

const upperName = charClasses.upper | (charClasses.ident & ~charClasses.letter);

export function isUpperName({ scan, nameStart, nameEnd }: Gap): boolean {
  const { text } = scan;
  if (nameEnd - nameStart < 2 || !isAt(text, nameStart, charClasses.upper)) return false;
  // Most names show by their last letter that they are none.
  let at = nameEnd - 1;
  while (at > nameStart && isAt(text, at, upperName)) at--;
  return at === nameStart;
}
