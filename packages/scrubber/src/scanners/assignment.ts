import { charClasses, isAt } from "../chars.ts";
import { skipEscapeTail } from "../escapes.ts";
import { nameCharsMax } from "../limits.ts";
import type { Hit } from "../rule.ts";
import { type Scan, spend } from "../scan.ts";
import { readSecretName, type SecretName } from "../secret-name.ts";
import { endsLine } from "../line-lead.ts";
import { isStrong } from "../strength.ts";
import { readValue, type ValueSpan } from "../value.ts";
import { judge, type Named, type Setting } from "./named-value.ts";
import { noteKeyRow } from "./key-row.ts";
import { nestedKey } from "./nested-key.ts";
import { isInRunningWords } from "./plain-word.ts";
import { noteRedirected } from "./redirected.ts";
import { readSeparator, type Separator } from "./separator.ts";
import { noteUnderlined } from "./table-column.ts";
import { readTied } from "./tied-value.ts";
import { canHead, noteColumn, noteList } from "./value-list.ts";
import { afterWrapper } from "./wrapper.ts";

/**
 * Finds a value tied to a name that promises a secret: environment lines, JSON, YAML, XML,
 * code, flags, queries, connection strings, `name`/`value` pairs.
 */
export function scanAssignment(scan: Scan, hit: Hit): void {
  const nameEnd = endOfName(scan.text, hit.end);
  if (nameEnd === scan.nameEnd || nameEnd - hit.end > 24 || !canTie(scan.text, nameEnd)) return;
  scan.nameEnd = nameEnd;
  const name = readName(scan, hit.start, nameEnd);
  spend(scan, nameEnd - name.start + 8);
  if (isInRunningWords(scan.text, name)) return;
  const promise = readPromise(scan.text, name) ?? nestedKey(scan, name);
  if (promise === undefined) return;
  const tie = readSeparator(scan, name.start, nameEnd);
  if (tie === undefined || tie.form === "adjacent") noteUntied(scan, hit, name, promise);
  if (tie === undefined) return;
  noteTied({ scan, hit, name, separator: withoutWrapper(scan, tie) }, promise);
}

/** Notes what stands under a name or before it, where nothing is tied to it. */
function noteUntied(scan: Scan, hit: Hit, name: Named, promise: SecretName): void {
  if (canHead(scan.text, name)) noteColumn(scan, hit, name, promise);
  noteUnderlined(scan, hit, name, promise);
  noteKeyRow(scan, hit, name, promise);
  noteRedirected(scan, hit, name, promise);
}

/** Ties whose value may stand in a call. */
const wrappedForms: ReadonlySet<Separator["form"]> = new Set(["equals", "colon", "quoted"]);

function withoutWrapper(scan: Scan, tie: Separator): Separator {
  if (!wrappedForms.has(tie.form)) return tie;
  const wrapped = afterWrapper(scan, tie.valueStart);
  if (wrapped === undefined) return tie;
  return { ...tie, valueStart: wrapped.valueStart, isWrapped: !wrapped.isMaker };
}

function noteTied(place: Setting, promise: SecretName): void {
  const { scan, separator } = place;
  if (promise.family !== "password" && isCount(scan.text, separator)) return;
  if (noteList(place, promise) || noteWordDiff(place, promise)) return;
  const value = readTied(scan, separator);
  if (value === undefined || isElsewhere(place, value)) return;
  judge(place, promise, value);
  if (value.quote === "") return noteWrapped(place, promise, value);
  noteJoined(place, promise, value);
  const next = changedValue(scan.text, value);
  if (next >= 0) judge(place, promise, readValue(scan, next));
}

/** `"tokens": 4218,`, as what counts says in every line: too short a number for any but a password. */
function isCount(text: string, { form, valueStart }: Separator): boolean {
  if (form !== "colon") return false;
  let end = valueStart;
  while (end - valueStart < 8 && isAt(text, end, charClasses.digit)) end++;
  if (end - valueStart < 3 || end - valueStart > 7) return false;
  const mark = text.charCodeAt(end);
  const next = text.charCodeAt(end + 1);
  return mark === 44 ? next === 34 : mark === 125 && (next === 44 || next === 125);
}

/** Whether a rule of its own knows the value, or the text says that it is none. */
function isElsewhere(
  { scan: { text }, name, separator }: Setting,
  { quote, value }: ValueSpan,
): boolean {
  // `prompt='Password: '`: what looks like the quote of a value closes the text that the name is in.
  const isClosed = quote !== "" && separator.nameQuote === undefined && text.slice(name.start - quote.length, name.start) === quote; // prettier-ignore
  if (isClosed || isUserOfUrl(text, name, value)) return true;
  if (separator.form === "colon" && isSelector(text, name, separator.valueStart)) return true;
  if (text.startsWith(".pgpass", name.start) || isArn(text, name.start)) return true;
  return text[name.start - 1] === "/" && isDigestOf(text, name.start);
}

/** Notes both values of `[-old-]{+new+}`, as a comparison by words shows a change. */
function noteWordDiff(place: Setting, promise: SecretName): boolean {
  const { scan, separator } = place;
  if (!"[{".includes(scan.text[separator.valueStart] ?? "x")) return false;
  let at = separator.valueStart;
  for (;;) {
    const found = /^(?:\[-(\S{3,96}?)-\]|\{\+(\S{3,96}?)\+\})/.exec(scan.text.slice(at, at + 104));
    if (found === null) return at > separator.valueStart;
    const value = found[1] ?? found[2] ?? "";
    judge(place, promise, { start: at + 2, end: at + 2 + value.length, quote: "", value });
    at += found[0].length;
  }
}

/** Notes the rest of a value that a backslash takes over a line's end. */
function noteWrapped(place: Setting, promise: SecretName, first: ValueSpan): void {
  const { scan } = place;
  if (scan.text[first.end] !== "\\") return;
  const joint = /^\\\r?\n(?=[\w+/])/.exec(scan.text.slice(first.end, first.end + 4));
  if (joint === null) return;
  const rest = readValue(scan, first.end + joint[0].length);
  if (rest.quote === "" && endsLine(scan.text, rest.end) && isStrong(rest.value)) {
    judge(place, promise, rest);
  }
}

const piecesMax = 8;
/** Longest piece: what does not end by then is read for the name before it, not for each. */
const pieceCharsMax = 512;

/** Notes the texts that code joins to a value (`"X" + "Y"`), which are pieces of one secret. */
function noteJoined(place: Setting, promise: SecretName, first: ValueSpan): void {
  const { scan } = place;
  let at = joinedAt(scan.text, first);
  for (let count = 0; at >= 0 && count < piecesMax; count++) {
    const piece = readValue(scan, at, pieceCharsMax);
    if (!isStrong(piece.value) && !(isStrong(first.value) && /^[\w+/=-]{4,}$/.test(piece.value))) return; // prettier-ignore
    judge(place, promise, piece);
    at = joinedAt(scan.text, piece);
  }
}

/** Place of the quote of the text that is joined to a value by a sign, or by a line's end alone. */
function joinedAt(text: string, { end, quote }: ValueSpan): number {
  const from = end + quote.length;
  if (!" +.\n\r\\".includes(text[from] ?? "x")) return -1;
  const joint =
    /^[ \t]{0,4}(?:[+.]|\\)?[ \t]{0,4}(?:(?:\r?\n|(?:\\{1,8}r)?\\{1,8}n)[ \t]{0,32}[+.]?[ \t]{0,4})?(?=\\*["'])/.exec(
      text.slice(from, from + 96),
    );
  return joint === null || !/[+.\n\\]/.test(joint[0]) ? -1 : from + joint[0].length;
}

/** `arn:aws:secretsmanager:…:secret:name`: where a secret is kept, and none itself. */
function isArn(text: string, nameStart: number): boolean {
  return (
    text[nameStart - 1] === ":" &&
    /arn:[\w:-]{8,64}:$/.test(text.slice(Math.max(0, nameStart - 72), nameStart))
  );
}

/** `checksum/secret:`, which says what the secret hashes to. */
function isDigestOf(text: string, nameStart: number): boolean {
  return /(?:checksum|hash|digest|sha\d{0,3}|md5|fingerprint|revision)s?\/$/i.test(
    text.slice(Math.max(0, nameStart - 16), nameStart),
  );
}

/** Place of the new value after the old one (`"old" -> "new"`), as plans show a change. */
function changedValue(text: string, { end, quote }: ValueSpan): number {
  const arrow =
    /^ {1,4}(?:->|=>|-&gt;|→|\\+u003e|\(?(?:was|previously|formerly|old|before):?) {1,4}(?=\\*["']|\\+u0022|&quot;)/.exec(
      text.slice(end + quote.length, end + quote.length + 24),
    );
  return arrow === null ? -1 : end + quote.length + arrow[0].length;
}

/** What a style sheet has after the colon of a selector. */
const pseudo = (): RegExp =>
  /^:?(?:-webkit-|-moz-|-ms-)?(?:active|after|any|auto|before|checked|disabled|empty|enabled|file|first|focus|has|host|hover|in|input|invalid|is|last|link|not|nth|only|optional|out|placeholder|read|required|selection|target|user|valid|visited|where)[a-z-]{0,24}(?:\(|\s{0,4}(?:[{,>+~:]|$))/;

/** `#password:focus {`: which state of an element a rule of a style sheet is for. */
function isSelector(text: string, { start, end }: Named, valueStart: number): boolean {
  if (text[end] === "]" && /\[\s?type\s?=\s?["']?$/.test(text.slice(Math.max(0, start - 9), start))) return true; // prettier-ignore
  if (valueStart !== end + 1 && text[end + 1] !== ":") return false;
  if (!"#.".includes(text[start - 1] ?? "x") && !/[.#]/.test(text.slice(start, end))) return false;
  return pseudo().test(text.slice(valueStart, valueStart + 48));
}

/** `https://token:…@host`: a rule of its own knows where the password of a URL ends. */
function isUserOfUrl(text: string, { start, end }: Named, value: string): boolean {
  return text[end] === ":" && text.startsWith("//", start - 2) && value.includes("@");
}

/** What promises a secret only after another word: `api key`, `pass phrase`. */
const halves: ReadonlySet<string> = new Set(["key", "keys", "key base", "phrase", "word"]);

/** `my key`: it may be to anything. */
const ofSomeone: SecretName = { family: "key", isEnv: false, isWeak: true, asksShape: false, isVague: true }; // prettier-ignore

/** Reads the name, with the word before it if it is a bare `key` (`the API key`). */
function readPromise(text: string, { start, end }: Named): SecretName | undefined {
  const promise = readSecretName(text.slice(start, end));
  if (promise !== undefined || text[start - 1] !== " ") return promise;
  if (!halves.has(text.slice(start, end).toLowerCase())) return undefined;
  const before = /(\w{2,10}) $/.exec(text.slice(Math.max(0, start - 12), start))?.[1];
  if (before === undefined) return undefined;
  const owned = readSecretName(`${before}_${text.slice(start, end).replace(" ", "_")}`);
  return owned ?? (/^(?:my|our|your|his|her)$/i.test(before) ? ofSomeone : undefined);
}

/** Characters after a name that may begin a tie; a quick way out of prose and code. */
function canTie(text: string, nameEnd: number): boolean {
  // What is named last may have its value before it.
  if (nameEnd === text.length) return true;
  const code = text.charCodeAt(nameEnd);
  const sort = code < 128 ? (tieSorts[code] as number) : 0;
  if (sort === 0) return code === 8230;
  return sort === 1 || nextAfter(code).includes(text[nameEnd + 1] ?? "\n");
}

/** 1 for what may begin a tie, 2 for what does before some characters only. */
const tieSorts: Uint8Array = new Uint8Array(128);

for (const char of " \t=:\"'`\\,?>(%&*\u001b\n\r]") tieSorts[char.charCodeAt(0)] = 1;

for (const char of ".<[{!)") tieSorts[char.charCodeAt(0)] = 2;

/** What has to follow such a character: `.toBe(`, `</key>`, `[64] =`, `!=`. */
function nextAfter(code: number): string {
  switch (code) {
    case 46:
      return "teisu.";
    case 60:
      return "/";
    case 91:
      return "]0123456789";
    case 123:
      return "\"'\\";
    case 33:
      return "=";
    default:
      return ". )|?o{";
  }
}

function endOfName(text: string, from: number): number {
  let end = from;
  while (end - from <= 24 && isAt(text, end, charClasses.word)) end++;
  // The one letter of a name of ours that is not of the alphabet.
  if (text.startsWith("ña", end)) return end + 2;
  if (text[end] !== " ") return end;
  // Rails has the one name of three words that does not end in its secret one.
  if (text.startsWith(" base", end) && text.startsWith("key", end - 3)) return end + 5;
  // Clusters print the names of their fields in words.
  if (/[Ss]ecret$/.test(text.slice(end - 6, end)) && /^ I[Dd](?: {0,16}[:=|]| {2})/.test(text.slice(end, end + 20))) return end + 3; // prettier-ignore
  // Forms write the word apart.
  if (!"wW".includes(text.charAt(end + 1))) return end;
  return /^[Pp](?:ass|ASS)$/.test(text.slice(end - 4, end)) && /^ (?:word|WORD) ?:/.test(text.slice(end, end + 7)) ? end + 5 : end; // prettier-ignore
}

/** Length of the file and the line that a search shows before a line beside its find: `app.env-12-`. */
function fileChars(name: string): number {
  return /^[\w.-]{0,40}\.[A-Za-z]{1,5}-\d{1,6}-(?=[A-Za-z_])/.exec(name)?.[0].length ?? 0;
}

function readName(scan: Scan, hitStart: number, end: number): Named {
  const { text } = scan;
  let start = hitStart;
  const stop = Math.max(0, hitStart - nameCharsMax);
  while (start > stop && isAt(text, start - 1, charClasses.name)) start--;
  start = skipEscapeTail(text, start, hitStart);
  if (end - start > 16) start += fileChars(text.slice(start, end));
  return { start, end };
}
