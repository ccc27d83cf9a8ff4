import { charClasses, isAt } from "../chars.ts";
import { skipAnsi } from "../escapes.ts";
import { nextLineStart } from "../line-lead.ts";
import type { Scan } from "../scan.ts";
import { quoteAt } from "../value.ts";
import {
  cellsForm,
  fallbackForm,
  lineForm,
  replyForm,
  reversedForm,
  typeChars,
} from "./far-forms.ts";
import {
  betweenForm,
  bracketForm,
  heldForm,
  serializedForm,
  templateForm,
  typeEnd,
} from "./declared-forms.ts";
import {
  attributedForm,
  innerElement,
  namedElementForm,
  nextElementForm,
} from "./element-forms.ts";
import {
  type Gap,
  isBar,
  isOpened,
  isUpperName,
  type Separator,
  skipGap,
  skipLines,
  tie,
} from "./gap.ts";
import { pairedValue } from "./pair.ts";
import { assertedForm, startsRow, valuesForm } from "./row-forms.ts";
import { anewStarts, isSetting, setAnew } from "./setting-command.ts";

export { type Separator, skipGap } from "./gap.ts";

/** What stands between a name and its value in a sentence. */
const verbs = (): RegExp =>
  /^(?:(?:(?:base|value|string) )?(?:is|was|should be|must be|will be):? |to (?=[`"'])|(?:->|→|=>|-&gt;) |for (?:the |our |my |user )?[\w.@-]{1,32}(?: is|:| =) ?|[-–—] )(?=\S)/;

/** Reads what ties the name that ends at `nameEnd` to a value, or nothing if nothing does. */
export function readSeparator(
  scan: Scan,
  nameStart: number,
  nameEnd: number,
): Separator | undefined {
  const { text } = scan;
  const afterName = skipAnsi(text, nameEnd);
  const nameQuote = quoteAt(text, afterName);
  const marked = passMarks(text, afterName + (nameQuote?.written.length ?? 0));
  const at = skipGap(text, marked);
  return readTie({ scan, nameStart, nameEnd, nameQuote, at, isSpaced: at > marked });
}

function readTie(gap: Gap): Separator | undefined {
  const mark = gap.scan.text[gap.at] ?? "";
  if (mark !== "" && "=:?!".includes(mark)) return signForm(gap, mark);
  if (mark === ",") return commaForm(gap);
  if (mark === ">" || mark === "(") return tightForm(gap, mark);
  if (mark === "{" && gap.nameQuote === undefined) return tightForm(gap, mark);
  return isBar(mark) && gap.isSpaced ? barForm(gap, mark) : looseForm(gap);
}

function signForm(gap: Gap, mark: string): Separator | undefined {
  if (mark === "=") return equalsForm(gap);
  if (mark === ":") return colonForm(gap);
  if (mark === "?") return fallbackForm(gap) ?? colonForm(gap);
  // Code compares with what it names as often as with a value.
  const unequal = /^!={1,2}/.exec(gap.scan.text.slice(gap.at, gap.at + 3));
  return unequal === null ? undefined : tie(gap, "quoted", gap.at + unequal[0].length);
}

function barForm(gap: Gap, mark: string): Separator | undefined {
  return fallbackForm(gap) ?? adjacentForm(gap, mark);
}

/** Passes the bracket of an index and the stars of bold text after a name. */
function passMarks(text: string, index: number): number {
  switch (text[index]) {
    case "]":
      return index + 1;
    case "*":
      return text[index + 1] === "*" ? index + 2 : index + 1;
    case "[":
      return index + (/^\[\d{0,5}\]/.exec(text.slice(index, index + 8))?.[0].length ?? 0);
    case ".":
    case "…":
      return passLeader(text, index);
    default:
      return index;
  }
}

/** Passes the dots that lead from a name to its sign (`Password.......: X`). */
function passLeader(text: string, index: number): number {
  const dots = /^(?:\.{2,48}|…{1,24}) ?(?=[:=])/.exec(text.slice(index, index + 64));
  return index + (dots?.[0].length ?? 0);
}

function equalsForm(gap: Gap): Separator | undefined {
  const { text } = gap.scan;
  const next = text[gap.at + 1];
  if (next === "~") return undefined;
  if (next === ">") return dumpedForm(gap) ?? tie(gap, "colon", gap.at + 2);
  if (text.startsWith("3A ", gap.at + 1)) return tie(gap, "colon", gap.at + 3);
  if (text.startsWith("&gt;", gap.at + 1)) return tie(gap, "colon", gap.at + 5);
  if (next !== "=") return (next === "{" ? templateForm(gap) : undefined) ?? tie(gap, "equals", gap.at + 1); // prettier-ignore
  const end = text[gap.at + 2] === "=" ? gap.at + 3 : gap.at + 2;
  return tie(gap, "quoted", end);
}

/** `["name"]=>`, and on the next line `string(9) "value"`, as PHP shows what a variable holds. */
function dumpedForm(gap: Gap): Separator | undefined {
  const { text } = gap.scan;
  if (!"\n\r\\".includes(text[gap.at + 2] ?? "x")) return undefined;
  const line = nextLineStart(gap.scan, gap.at + 2);
  return line >= 0 && text.startsWith("string(", line) ? tie(gap, "quoted", line) : undefined;
}

function colonForm(gap: Gap): Separator | undefined {
  const { text } = gap.scan;
  if (text[gap.at] === "?") return optionalForm(gap);
  const next = text[gap.at + 1];
  if (next === ":") return undefined;
  if (next === "=") return tie(gap, "equals", gap.at + 2);
  const type = typeEnd(text, gap.at + 1);
  if (type >= 0) return tie(gap, "quoted", type);
  const dumped = next === " " && text[gap.at + 2] === "(" ? /^\(\*?string\) (?:\(len=\d{1,6}\) )?(?=\\*")/.exec(text.slice(gap.at + 2, gap.at + 40)) : null; // prettier-ignore
  if (dumped !== null) return tie(gap, "quoted", gap.at + 2 + dumped[0].length);
  if (text[gap.nameStart - 1] === "{" && gap.nameQuote === undefined) return defaultForm(gap, next);
  return heldForm(gap) ?? tie(gap, "colon", gap.at + 1);
}

/** `${NAME:-value}`, and `${name:value}` as Spring has it; `:?` and `:+` say something else. */
function defaultForm(gap: Gap, next: string | undefined): Separator | undefined {
  const { text } = gap.scan;
  if (text[gap.nameStart - 2] !== "$") return tie(gap, "colon", gap.at + 1);
  if (next === "?" || next === "+") return undefined;
  const start = gap.at + (next === "-" ? 2 : 1);
  return { form: "default", valueStart: start, isSpaced: false };
}

/** `name?: Type`, or `NAME ?= value`. */
function optionalForm(gap: Gap): Separator | undefined {
  const next = gap.scan.text[gap.at + 1];
  if (next === "=") return tie(gap, "equals", gap.at + 2);
  return next === ":" ? colonForm({ ...gap, at: gap.at + 1 }) : undefined;
}

function commaForm(gap: Gap): Separator | undefined {
  if (gap.nameQuote === undefined) return cellForm(gap);
  const { text } = gap.scan;
  const pair = pairForm(gap);
  if (pair !== undefined) return pair;
  const from = skipLines(text, gap.at + 1);
  const at = from + keywordChars(text, from);
  if (!opensList(gap)) {
    const isRow = at === gap.at + 1 && startsRow(gap);
    return farPairForm(gap) ?? (isRow ? tie(gap, "cell", at) : valuesForm(gap));
  }
  if (isColumn(gap, at)) return undefined;
  return (
    (quoteAt(text, at) === undefined ? farPairForm(gap) : undefined) ?? {
      ...tie(gap, "quoted", at),
      isFallback: at > from || isLookup(gap),
    }
  );
}

/** What a row of names has beside that of a password: names of other columns. */
const columns = (): RegExp =>
  /^["'](?:[a-z]{2,16}(?:_[a-z]{2,16}){1,4}\d?|description|domain|email|enabled|groups?|mapped|phone|project|roles?|status|title)["']/;

/** `'password', 'created_at'`: names in a row, and no value of the first. */
function isColumn({ scan: { text }, nameStart }: Gap, at: number): boolean {
  return text[nameStart] !== "-" && columns().test(text.slice(at, at + 88));
}

/** A call that looks a setting up, and takes a second argument where there is none. */
function isLookup({ scan: { text }, nameStart }: Gap): boolean {
  const before = text.slice(Math.max(0, nameStart - 40), nameStart);
  return /(?:env|environ\.get|fetch|config)\(\s?\\*["']$/i.test(before);
}

/** Length of `default=` before the value that a program takes where a setting is absent. */
function keywordChars(text: string, at: number): number {
  if (!"df".includes(text[at] ?? "x")) return 0;
  const keyword = /^(?:default(?:_?value)?|fallback)\s?[=:]\s?(?=[brfu]?\\*["'])/i;
  return keyword.exec(text.slice(at, at + 32))?.[0].length ?? 0;
}

/** `NAME,value,…`: the first cells of a row, or a name that is compared with what follows. */
function cellForm(gap: Gap): Separator | undefined {
  const { text } = gap.scan;
  if (gap.isSpaced) return undefined;
  const pair = farPairForm(gap);
  if (pair !== undefined) return pair;
  if (text[gap.at + 1] === " ") return assertedForm(gap);
  return startsRow(gap) ? tie(gap, "cell", gap.at + 1) : undefined;
}

/** The name is a flag, or the first in a call, a pair or a list: not one of many words in a row. */
function opensList(gap: Gap): boolean {
  const { text } = gap.scan;
  if (text[gap.nameStart] === "-") return true;
  const quoteStart = gap.nameStart - (gap.nameQuote?.written.length ?? 0);
  const before = text[quoteStart - 1] ?? "x";
  return "([{".includes(before) || (before === " " && "([{".includes(text[quoteStart - 2] ?? "x"));
}

function tightForm(gap: Gap, mark: string): Separator | undefined {
  const { text } = gap.scan;
  if (mark === ">" && gap.nameQuote !== undefined) return namedElementForm(gap);
  if (gap.nameQuote !== undefined || gap.isSpaced)
    return mark === "(" ? bracketForm(gap) : undefined;
  if (mark === ">") return isOpened(gap) ? tie(gap, "element", innerElement(gap)) : undefined;
  if (mark === "(" && text[gap.at + 1] === ")") return reversedForm(gap);
  const isSetter = /(?:^|\.)(?:set|with)[A-Z_]\w*$|\.(?:password|passwd|apiKey|secretKey)$/.test(
    text.slice(gap.nameStart, gap.nameEnd),
  );
  if (isSetter) return tie(gap, "quoted", gap.at + 1);
  if (quoteAt(text, gap.at + 1) === undefined) return undefined;
  return { ...tie(gap, "quoted", gap.at + 1), isWrapped: true };
}

function looseForm(gap: Gap): Separator | undefined {
  const first = gap.scan.text[gap.at] ?? "";
  const coded = "%\\&".includes(first) ? codedForm(gap) : serializedForm(gap);
  if (coded !== undefined) return coded;
  if ((first === "<" || first === "&") && !gap.isSpaced) return nextElementForm(gap);
  if (gap.isSpaced && isOpened(gap)) return attributedForm(gap);
  return fallbackForm(gap) ?? plainForm(gap, first);
}

function plainForm(gap: Gap, first: string): Separator | undefined {
  if (gap.isSpaced && gap.nameQuote === undefined) return spacedForm(gap, first);
  if (gap.isSpaced && first === "\\") return quotedNameForm(gap, first);
  if ("\n\r\\".includes(first))
    return pairForm(gap) ?? farPairForm(gap) ?? lineForm(gap) ?? replyForm(gap);
  return gap.nameQuote === undefined ? undefined : quotedNameForm(gap, first);
}

/** The sign or the angle that ends a tag, percent-encoded, as an entity or as a code. */
function codedForm(gap: Gap): Separator | undefined {
  const { text } = gap.scan;
  const coded = /^(?:%3[dDaA]|\\+u003[dD]|&#61;|&gt;)/.exec(text.slice(gap.at, gap.at + 12))?.[0];
  if (coded === undefined) return undefined;
  if (coded !== "&gt;") return tie(gap, "equals", gap.at + coded.length);
  return isOpened(gap) ? tie(gap, "element", gap.at + coded.length) : undefined;
}

/** A quoted name with neither comma nor sign after it. */
function quotedNameForm(gap: Gap, first: string): Separator | undefined {
  if (!gap.isSpaced) return pairForm(gap) ?? farPairForm(gap);
  const cells = cellsForm(gap);
  if (cells !== undefined) return cells;
  const tag = attributedForm(gap);
  const element = tag && namedElementForm({ ...gap, at: tag.valueStart - 1 });
  if (element !== undefined) return element;
  if (gap.nameQuote?.char === "`" && (first === "t" || first === "i"))
    return spacedForm(gap, first);
  return pairForm(gap) ?? farPairForm(gap) ?? settingForm(gap);
}

/** `config set NAME value`, or `secret set NAME --body value`. */
function settingForm(gap: Gap): Separator | undefined {
  if (!isSetting(gap)) return undefined;
  return gap.scan.text[gap.at] === "-" ? farPairForm(gap, true) : tie(gap, "login", gap.at);
}

function farPairForm(gap: Gap, isKnown: boolean = false): Separator | undefined {
  const at = pairedValue(gap.scan, { start: gap.nameStart, end: gap.nameEnd, isKnown });
  return at < 0 ? undefined : tie(gap, "pair", at);
}

/** First two characters of {@link verbs}: what stands there is nearly always something else. */
function mayBeVerb(first: string, second: string | undefined): boolean {
  switch (first) {
    case "i":
      return second === "s";
    case "w":
    case "b":
    case "v":
      return second === "a";
    case "t":
    case "f":
      return second === "o";
    case "s":
      return second === "t" || second === "h";
    case "m":
      return second === "u";
    default:
      return "-–—→=".includes(first);
  }
}

/** A verb, a sentence about a change, or the type that Basic declares. */
function saidForm(gap: Gap, first: string): Separator | undefined {
  const { text } = gap.scan;
  const start = anewStarts.includes(first) ? setAnew(gap) : -1;
  if (start >= 0) {
    return tie(gap, quoteAt(text, start) === undefined ? "adjacent" : "prose", start);
  }
  const window = text.slice(gap.at, gap.at + 48);
  const type = "aA".includes(first) ? /^as \w{3,16} = (?=\\{0,7}["'])/i.exec(window) : null;
  if (type !== null) return tie(gap, "quoted", gap.at + type[0].length);
  const verb = mayBeVerb(first, text[gap.at + 1]) ? verbs().exec(window) : null;
  return verb === null ? undefined : tie(gap, "prose", gap.at + verb[0].length);
}

function spacedForm(gap: Gap, first: string): Separator | undefined {
  const { text } = gap.scan;
  if (isFlag(text, gap.nameStart)) return isSwitch(gap) ? undefined : tie(gap, "flag", gap.at);
  const said = saidForm(gap, first) ?? betweenForm(gap, first);
  if (said !== undefined) return said;
  if (isLogin(gap)) return tie(gap, "login", gap.at);
  const asked = "[0123456789".includes(first) ? askedForm(gap) : undefined;
  const setting = asked ?? settingForm(gap);
  if (setting !== undefined) return setting;
  const pair = "v\n-".includes(first) ? (pairForm(gap) ?? farPairForm(gap)) : undefined;
  return pair ?? adjacentForm(gap, first);
}

/** `Secret Access Key [None]: X`, which asks with what it has; `Unseal Key 1: X`, one of several. */
function askedForm(gap: Gap): Separator | undefined {
  // Routers write how a password is stored before it: 0 is plain, 7 can be read back.
  const mark = /^(?:(?:\[[^[\]\n"']{0,24}\]|\d{1,2}):[ \t]|[07] (?=\S{6,}\s*$))/m.exec(
    gap.scan.text.slice(gap.at, gap.at + 32),
  );
  return mark === null ? undefined : tie(gap, "prose", gap.at + mark[0].length);
}

/** The value right after the name, as in `PASSWORD 'X'` or `| token | X |`: if it has a digit. */
function adjacentForm(gap: Gap, first: string): Separator | undefined {
  const { text } = gap.scan;
  const start = isBar(first) ? skipGap(text, gap.at + 1) : gap.at + typeChars(gap);
  if (isUpperName(gap) || start > gap.at) return tie(gap, "adjacent", start);
  const stop = Math.min(text.length, start + 48);
  for (let at = start; at < stop; at++) {
    const code = text.charCodeAt(at);
    if (isSignOfValue(text, at, code)) return tie(gap, "adjacent", start);
    if (code <= 32) return undefined;
  }
  return undefined;
}

/** A digit, a capital after a small letter, a dash in a word, a quote with more than blanks in it. */
function isSignOfValue(text: string, at: number, code: number): boolean {
  if (code >= 48 && code <= 57) return true;
  const before = text.charCodeAt(at - 1);
  if (code >= 65 && code <= 90) return before >= 97 && before <= 122;
  if (code === 45) return before >= 97 && before <= 122;
  return code === 34 && before === 32 && isAt(text, at + 1, charClasses.letter);
}

/** `name: X`, then `value: Y` beside it or on the next line. */
function pairForm(gap: Gap): Separator | undefined {
  const { text } = gap.scan;
  const comma = text[gap.at] === "," ? gap.at + 1 : gap.at;
  const line = "\n\r\\\u001b".includes(text[comma] ?? "x") ? nextLineStart(gap.scan, comma) : -1;
  const at = line < 0 ? skipLines(text, comma) : line;
  if (at === gap.at && gap.nameQuote === undefined) return undefined;
  if (!"\\\"'&vV".includes(text[at] ?? "x")) return undefined;
  const found = pairedKey().exec(text.slice(at, at + 40));
  return found === null ? undefined : tie(gap, "pair", at + found[0].length);
}

const pairedKey = (): RegExp =>
  /^(?:\\*["']|\\+u0022|&quot;|&#3[49];)?value(?:\\*["']|\\+u0022|&quot;|&#3[49];)?\s{0,4}[:=]/i;

function isFlag(text: string, nameStart: number): boolean {
  if (text[nameStart] !== "-") return false;
  return nameStart === 0 || !isAt(text, nameStart - 1, charClasses.alnum);
}

/** `config set --secret NAME value`: the flag says what the value is and takes none. */
function isSwitch({ scan: { text }, nameStart, nameEnd }: Gap): boolean {
  if (nameEnd - nameStart !== 8 || !text.startsWith("--secret", nameStart)) return false;
  return /\bconfig[ :]set [^\n]{0,24}$/.test(text.slice(Math.max(0, nameStart - 40), nameStart));
}

/** `login X password Y`, as `.netrc` has it. */
function isLogin(gap: Gap): boolean {
  const { text } = gap.scan;
  if (gap.nameEnd - gap.nameStart !== 8) return false;
  return /(?:^|\s|\\n)login\s+\S+(?:\s|\\n)+$/.test(
    text.slice(Math.max(0, gap.nameStart - 96), gap.nameStart),
  );
}
