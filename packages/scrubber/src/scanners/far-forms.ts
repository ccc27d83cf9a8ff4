import { nextLineStart } from "../line-lead.ts";
import { spend } from "../scan.ts";
import { type Gap, type Separator, tie } from "./gap.ts";

/** What a program takes where the setting is absent, or what a test compares it with. */
const fallbacks = (): RegExp =>
  /^\)?\s{0,2}(?:\|\||\?\?=?|\?:|or\b|\{|\| ?default(?:\(| ))\s?\(?(?=["'`\\&])/;

const matchers = (): RegExp =>
  /^[)\]]{0,2}\.?(?:\s?(?:should|not|to|be|and|is)[. ])*(?:toBe|toEqual|toStrictEqual|toMatch|equals?|eql?|isEqualTo|unwrap_or)\(?\s{0,2}(?=["'`\\&])/;

/** `args.get("token") == "X"`. */
const compared = (): RegExp => /^\)\s{0,2}[=!]={1,2}\s?(?=["'`\\&])/;

export function fallbackForm(gap: Gap): Separator | undefined {
  const { text } = gap.scan;
  const first = text[gap.at] ?? "";
  if (!mayFallBack(text, gap.at, first)) return undefined;
  const rest = text.slice(gap.at, gap.at + 48);
  spend(gap.scan, 16);
  const fallback = first === "." ? null : fallbacks().exec(rest);
  const found = fallback ?? matchers().exec(rest) ?? (first === ")" ? compared().exec(rest) : null);
  if (found === null) return undefined;
  const tied = tie(gap, "quoted", gap.at + found[0].length);
  return fallback === null ? tied : { ...tied, isFallback: true };
}

function mayFallBack(text: string, at: number, first: string): boolean {
  if (first === "o") return text.startsWith("or ", at);
  if (first === ")") return " .)".includes(text[at + 1] ?? "x");
  return first !== "" && "|?.".includes(first);
}

/** The value is all that stands on the next line: a form field's, or a file's that was shown. */
export function lineForm(gap: Gap): Separator | undefined {
  const { scan, nameStart, nameQuote } = gap;
  const before = scan.text.slice(Math.max(0, nameStart - 64), nameStart);
  spend(scan, 32);
  const isField = nameQuote !== undefined && /[;\s]name=(?:\\*["']|\\+u0022|&quot;)$/.test(before);
  const isShown = /\b(?:cat|less|more|head|tail|bat|type|Get-Content) [^\n|;&]{0,48}$/.test(before);
  const line = nextLineStart(scan, gap.at);
  if (line < 0) return undefined;
  const answer = isAsked(before) ? /^(?:=> |\$?\d{1,3} ==> |Out\[\d{1,4}\]: |\[1\] )?(?=\\*["'])/.exec(scan.text.slice(line, line + 20)) : null; // prettier-ignore
  if (answer !== null) return tie(gap, "quoted", line + answer[0].length);
  if (isField || isShown) return tie(gap, isField ? "pair" : "line", line);
  // Under a heading a value may stand alone, and in a fence of its own.
  const fence = /^(?:```|~~~)\w{0,12}(?=[\r\n\\])/.exec(scan.text.slice(line, line + 20));
  if (fence === null && !/(?:^|\n)#{1,6} [^\n]{0,48}$/.test(before)) return undefined;
  const at = fence === null ? line : nextLineStart(scan, line + fence[0].length);
  return at < 0 ? undefined : { ...tie(gap, "line", at), isWrapped: true };
}

/** Whether an interpreter was asked for what is named: its prompt, and no more than a path to the name. */
function isAsked(before: string): boolean {
  return /(?:^|\n)(?:>>>|>|(?:irb|pry)\([^()\n]{0,16}\)[:\d]{0,8}[>*]|In \[\d{1,4}\]:|iex(?:\(\d{1,4}\))?>|jshell>|php >|\[\d{1,3}\] pry[^>\n]{0,16}>) [\w$.]{0,48}\[?\(?["':]?$/.test(
    before,
  );
}

/** `assertEquals("X", config.getToken())`: the value stands before the name. */
export function reversedForm(gap: Gap): Separator | undefined {
  const { scan, nameStart } = gap;
  const from = Math.max(0, nameStart - 160);
  spend(scan, 32);
  const before = scan.text.slice(from, nameStart);
  const found =
    /(?:assert|equal)\w{0,16}!?\(\s?(?=\\*["'])[^\n(),]{4,128}, ?[\w.$>(-]{0,48}$/i.exec(before);
  if (found === null) return undefined;
  const start = from + found.index + found[0].search(/\\*["']/);
  return tie(gap, "quoted", start);
}

/** `1) "name"`, and on the next line `2) "value"`, as Redis answers in pairs. */
export function replyForm(gap: Gap): Separator | undefined {
  const { scan, nameStart } = gap;
  if (!"\n\r\\".includes(scan.text[gap.at] ?? "x")) return undefined;
  const number = /(\d{1,3})\) \\{0,15}"$/.exec(
    scan.text.slice(Math.max(0, nameStart - 24), nameStart),
  );
  const line = number === null ? -1 : nextLineStart(scan, gap.at);
  if (number === null || line < 0) return undefined;
  const next = `${Number(number[1]) + 1}) `;
  return scan.text.startsWith(next, line) ? tie(gap, "quoted", line + next.length) : undefined;
}

/** `'NAME'  'value'`: two cells of a row, each in quotes and blanks between them. */
export function cellsForm(gap: Gap): Separator | undefined {
  const { text } = gap.scan;
  if (text[gap.at - 2] !== " " || !/^\\{0,7}["']\S/.test(text.slice(gap.at, gap.at + 10))) {
    return undefined;
  }
  return tie(gap, "adjacent", gap.at);
}

/** Length of the cell between a name and its value that says of what kind it is. */
export function typeChars({ scan: { text }, at }: Gap): number {
  if (text[at - 2] !== " ") return 0;
  const type =
    /^(?:secret|secured?|secure_?string|plain|encrypted|sensitive|string|text|env|masked|protected|variable|hidden|opaque|yes|no|true|false) {2,24}(?=\S)/i.exec(
      text.slice(at, at + 40),
    );
  return type === null ? 0 : type[0].length;
}
