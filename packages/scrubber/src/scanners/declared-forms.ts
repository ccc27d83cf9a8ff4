import { isMadeUp } from "../checks/made-up.ts";
import { nextLineStart } from "../line-lead.ts";
import { spend } from "../scan.ts";
import { isUnmistakable, isUuid } from "../strength.ts";
import { quoteAt } from "../value.ts";
import { type Gap, type Separator, skipLines, tie } from "./gap.ts";

/** First letters of what {@link declaredForm} reads. */
const declaredStarts = "TtLlPpSsNnVvCcRrOo";
const declarations = (): RegExp =>
  /^(?:(?:type|like) [\w~-]{1,30}(?: length \d{1,4})?(?: read-only)? value |pic(?:ture)?(?: is)? [xa9](?:\(\d{1,4}\))?[xa9]{0,40}\s{1,16}value(?: is)?\s{1,8}|(?:string|securestring|str|text|char|n?varchar2?|nchar|clob|option<string>)(?:\[\]|\s?\([\w, ]{1,12}\))?(?: not null)?\s{0,4}(?::?=|default)\s{0,4}N?)(?=\\{0,7}["'`])/i;
const registered = (): RegExp => /^REG_(?:SZ|EXPAND_SZ|MULTI_SZ|BINARY)[ \t]{1,12}(?=\S)/;

/**
 * A type between a name and what it is set to, as in `var password string = "X"`, `PIC X(16) VALUE
 * 'X'`, `TYPE string VALUE 'X'` and what a registry shows.
 */
function declaredForm(gap: Gap, first: string): Separator | undefined {
  if (!declaredStarts.includes(first)) return undefined;
  const { text } = gap.scan;
  if (first === "R") {
    const type = registered().exec(text.slice(gap.at, gap.at + 32));
    return type === null ? undefined : tie(gap, "login", gap.at + type[0].length);
  }
  const window = text.slice(gap.at, gap.at + 80);
  if (!/^[^\n\r"'`]{4,72}["'`]/.test(window)) return undefined;
  const found = declarations().exec(window);
  spend(gap.scan, 16);
  return found === null ? undefined : tie(gap, "quoted", gap.at + found[0].length);
}

/** `"name": {"type": …, "value": X}`. */
function memberForm(gap: Gap): Separator | undefined {
  const { text } = gap.scan;
  if (gap.nameQuote === undefined) return undefined;
  const at = skipLines(text, gap.at + 1);
  if (text[at] !== "{") return undefined;
  const found =
    /^\{[^{}]{0,120}?\\{0,15}"(?:value|defaultValue|default|example)\\{0,15}"\s{0,4}:\s{0,4}(?=\\{0,15}")/.exec(
      text.slice(at, at + 176),
    );
  return found === null ? undefined : tie(gap, "quoted", at + found[0].length);
}

/** Place after the type and the sign of `: Type = "`, or -1. */
export function typeEnd(text: string, index: number): number {
  if (!hasSign(text, index)) return -1;
  const typed =
    /^\s?&?[A-Za-z][\w<>|[\].?' ]{0,32}? ?= ?(?:(?:Field|field|Column|mapped_column)\((?:default ?= ?)?)?(?=[\w.:! ]{0,32}\(?(?:\\*["'`]|\\+u002[27]|&quot;|&#3[49];))/.exec(
      text.slice(index, index + 96),
    );
  return typed === null ? -1 : index + typed[0].length;
}

const typeCharsMax = 40;

/** Whether an equals sign comes before anything that no type has in it. */
function hasSign(text: string, index: number): boolean {
  for (let at = index; at < index + typeCharsMax; at++) {
    const code = text.charCodeAt(at);
    if (code === 61) return true;
    if (code === 34 || code === 44 || code === 40 || code === 41 || code < 32) return false;
  }
  return false;
}

/** `s:8:"password";s:16:"X";`, as PHP writes arrays out. */
export function serializedForm(gap: Gap): Separator | undefined {
  const { text } = gap.scan;
  if (gap.nameQuote === undefined || text[gap.at] !== ";") return undefined;
  const found = /^;s:\d{1,5}:(?=\\{0,15}")/.exec(text.slice(gap.at, gap.at + 12));
  return found === null ? undefined : tie(gap, "quoted", gap.at + found[0].length);
}

const bracketCharsMin = 16;

/** What people have made up as a password, in brackets after a password's name. */
function madeUpIn({ scan, nameStart, nameEnd }: Gap, window: string): string | undefined {
  const made = /^\(["'`]?([\w!*?#$%&@.-]{8,40})["'`]?\)(?=[\s,.;:!?]|$)/.exec(window)?.[1];
  if (made === undefined || !isMadeUp(made)) return undefined;
  const name = scan.text.slice(nameStart, nameEnd);
  return /pass(?:word|wd|phrase|code)?$|pwd?$/i.test(name) ? made : undefined;
}

/** `my token (X) expired`, and a remark in brackets before the sign: `secret (from the panel): X`. */
export function bracketForm(gap: Gap): Separator | undefined {
  const { text } = gap.scan;
  if (!gap.isSpaced || gap.nameQuote !== undefined) return undefined;
  const window = text.slice(gap.at, gap.at + 160);
  spend(gap.scan, 24);
  const held = /^\(["'`]?([\w+/=.~-]{16,140})["'`]?\)(?=[\s,.;:!?]|$)/.exec(window)?.[1];
  const made = madeUpIn(gap, window);
  if (made !== undefined) return tie(gap, "prose", gap.at + window.indexOf(made));
  if (held !== undefined) {
    if (held.length < bracketCharsMin || !isUnmistakable(held) || isUuid(held)) return undefined;
    return tie(gap, "prose", gap.at + window.indexOf(held));
  }
  const remark = /^\([\w ,.'/-]{2,40}\)(?: ?[:=]| (?:→|->|=>|is)) {1,4}(?=\S)/.exec(window);
  return remark === null ? undefined : tie(gap, "prose", gap.at + remark[0].length);
}

/** `{{ 'X' | password_hash }}`: the text that a template works on. */
export function templateForm(gap: Gap): Separator | undefined {
  const { text } = gap.scan;
  const open = /^\s{0,2}["']?\{\{-?\s{0,2}(?=\\{0,7}["'][^"'{}\n]{8,96}\\{0,7}["']\s{0,2}(?:\||-?\}\}))/.exec(text.slice(gap.at + 1, gap.at + 128)); // prettier-ignore
  if (open === null) return undefined;
  return { ...tie(gap, "quoted", gap.at + 1 + open[0].length), isWrapped: true };
}

const logins = (): RegExp =>
  /(?:\buser(?:name)?|\blogin|\bssh|\baccount|\broot|\badmin|\bas)\b[^\n]{0,48}(?:,| and| with| und| mit) (?:the )?$/i;

/** `ssh root@host, password X, and …`: the second of a user and a password in a sentence. */
function besideForm(gap: Gap): Separator | undefined {
  const { scan, nameStart, nameEnd, at } = gap;
  const { text } = scan;
  if (!/^(?:pass(?:word|wd)?|pwd?|passwort|kennwort)$/.test(text.slice(nameStart, nameEnd)))
    return undefined;
  if (text[nameStart - 1] !== " " || !/^(?=[^\s,;]{0,64}\d)[^\s,;()]{6,64}(?=[,.;]?(?:\s|$))/.test(text.slice(at, at + 72))) return undefined; // prettier-ignore
  spend(scan, 24);
  return logins().test(text.slice(Math.max(0, nameStart - 72), nameStart)) ? tie(gap, "prose", at) : undefined; // prettier-ignore
}

/** `:password "X"`, as languages of lists have it. */
function keywordForm(gap: Gap): Separator | undefined {
  const { text } = gap.scan;
  if (text[gap.nameStart - 1] !== ":" || text[gap.nameStart - 2] === ":") return undefined;
  const quote = quoteAt(text, gap.at);
  return quote?.char === '"' ? tie(gap, "quoted", gap.at) : undefined;
}

const linesMax = 8;
const nestedKey = (): RegExp =>
  /^(?:default|defaultValue|default_value|example|x-example|value)\\{0,15}["']?: {1,8}(?=\S)/i;

/**
 * The default or the example among the lines that are indented under `name:`, where templates and
 * descriptions of interfaces say of what type it is first.
 */
function nestedDefaultForm(gap: Gap): Separator | undefined {
  const { scan } = gap;
  const { text } = scan;
  if (!"\n\r\\".includes(text[gap.at + 1] ?? "x")) return undefined;
  const indent = indentOf(text, gap.nameStart);
  let at = nextLineStart(scan, gap.at + 1);
  for (let count = 0; count < linesMax && at >= 0; count++) {
    if (indentOf(text, at) <= indent) return undefined;
    const window = text.slice(at, at + 160);
    const found = nestedKey().exec(window);
    if (found !== null) return tie(gap, "colon", at + found[0].length);
    const end = window.search(/[\n\r]|\\+[nr]/);
    spend(scan, Math.max(8, end));
    if (!/^[A-Za-z]\w{1,24}:(?: |$|\\|\r|\n)/.test(window) || end < 0) return undefined;
    at = nextLineStart(scan, at + end);
  }
  return undefined;
}

/** Blanks before a word that begins its line; as many as a line has at most where it does not. */
function indentOf(text: string, start: number): number {
  const blanks = /(?:^|\n|\\n)( *)["']?$/.exec(text.slice(Math.max(0, start - 64), start));
  return blanks === null ? 64 : (blanks[1] as string).length;
}

/** What stands between a name and its value where no sign does: a type, or what makes a pair of them. */
export function betweenForm(gap: Gap, first: string): Separator | undefined {
  return declaredForm(gap, first) ?? keywordForm(gap) ?? besideForm(gap);
}

/** The value in what a colon is followed by: an object, indented lines, or a template. */
export function heldForm(gap: Gap): Separator | undefined {
  return memberForm(gap) ?? nestedDefaultForm(gap) ?? templateForm(gap);
}
