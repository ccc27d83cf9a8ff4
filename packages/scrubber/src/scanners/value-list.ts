import { isWordPhrase } from "../checks/word-phrase.ts";
import { nextLineStart } from "../line-lead.ts";
import type { Hit } from "../rule.ts";
import type { Scan } from "../scan.ts";
import type { SecretName } from "../secret-name.ts";
import { isStrong } from "../strength.ts";
import { columnValues, readHeader } from "../table.ts";
import { quoteAt, readValue } from "../value.ts";
import { isStrongWord } from "./command-value.ts";
import { judge, type Named, type Setting } from "./named-value.ts";
import { type Separator, skipGap } from "./separator.ts";
import { readCell } from "./tied-value.ts";

const listItemsMax = 64;

/** Notes the values of a list after a name (`["X", "Y"]`, or dashes on lines of their own), if it is one. */
export function noteList(place: Setting, promise: SecretName): boolean {
  const { scan, separator } = place;
  if (separator.form !== "colon" && separator.form !== "equals") return false;
  const { valueStart } = separator;
  if (!"[{(".includes(scan.text[valueStart] ?? "x")) return noteDashes(place, promise);
  let at = itemStart(scan, valueStart + 1);
  if (at < 0) return false;
  if (isKeyAt(scan, at)) return noteMembers(place, promise, at);
  for (let count = 0; count < listItemsMax && at >= 0; count++) {
    const item = readValue(scan, at);
    judge(place, promise, item);
    const end = item.end + item.quote.length;
    at = itemStart(scan, scan.text[end] === "," ? end + 1 : end);
  }
  return true;
}

/** Notes the values of `passwords: {"ada": "X", …}`, in which each has a name of its own. */
function noteMembers(place: Setting, promise: SecretName, from: number): boolean {
  const { scan } = place;
  if (!isOfSeveral(place)) return false;
  let at = from;
  for (let count = 0; count < listItemsMax && at >= 0; count++) {
    const key = readValue(scan, at);
    const closed = key.end + key.quote.length;
    const sign = /^\s{0,4}(?::|=>)\s{0,4}/.exec(scan.text.slice(closed, closed + 12));
    if (sign === null) break;
    const start = closed + sign[0].length;
    if (quoteAt(scan.text, start) === undefined) break;
    const item = readValue(scan, start);
    if (isStrongWord(item.value) && !item.value.includes("/")) judge(place, promise, item);
    const end = item.end + item.quote.length;
    at = scan.text[end] === "," ? itemStart(scan, end + 1) : -1;
  }
  return true;
}

/** Notes the items of a list in which each has a line and a dash of its own. */
function noteDashes(place: Setting, promise: SecretName): boolean {
  const { scan, separator } = place;
  let at = dashAfter(scan, separator.valueStart);
  if (at < 0) return noteLines(place, promise);
  if (isKeyAt(scan, at)) return false;
  for (let count = 0; count < listItemsMax && at >= 0; count++) {
    const item = readValue(scan, at);
    if (item.quote !== "" || isStrong(item.value)) judge(place, promise, item);
    at = dashAfter(scan, item.end + item.quote.length);
  }
  return true;
}

const severals = ["passwords", "tokens", "secrets", "keys"];

function isOfSeveral({ scan, name }: Setting): boolean {
  const noun = scan.text.slice(name.start, name.end).toLowerCase();
  return severals.some((each) => noun.endsWith(each));
}

/** Notes the values of the lines under `passwords:`, in which each has a name of its own. */
function noteLines(place: Setting, promise: SecretName): boolean {
  const { scan, separator } = place;
  if (!"\n\r\\".includes(scan.text[separator.valueStart] ?? "x")) return false;
  if (!isOfSeveral(place)) return false;
  let at = nextLineStart(scan, separator.valueStart);
  for (let count = 0; count < listItemsMax && at >= 0; count++) {
    const key = /^\\*["']?[\w.@-]{1,48}\\*["']?: {1,4}(?=\S)/.exec(scan.text.slice(at, at + 64));
    if (key === null || scan.text[at - 1] !== " ") break;
    const item = readValue(scan, at + key[0].length);
    if (isStrongWord(item.value) && !item.value.includes("/")) judge(place, promise, item);
    at = nextLineStart(scan, item.end + item.quote.length);
  }
  return true;
}

/** Whether what begins here is the key of an object and no item of a list. */
function isKeyAt(scan: Scan, at: number): boolean {
  const { end, quote } = readValue(scan, at);
  const after = end + quote.length;
  return /^\s{0,2}(?::|=>)/.test(scan.text.slice(after, after + 4));
}

/** Place of the next text in quotes, on this line or the next; -1 if something else follows. */
function itemStart(scan: Scan, index: number): number {
  const at = afterBlanks(scan, index);
  return quoteAt(scan.text, at) === undefined ? -1 : at;
}

function afterBlanks(scan: Scan, index: number): number {
  const at = skipGap(scan.text, index);
  const line = nextLineStart(scan, at);
  return line < 0 ? at : line;
}

/** Place after the dash of a list on the next line, or -1. */
function dashAfter(scan: Scan, index: number): number {
  const { text } = scan;
  if (!"\n\r\\\u001b".includes(text[index] ?? "x")) return -1;
  const at = nextLineStart(scan, index);
  return at >= 0 && text.startsWith("- ", at) ? at + 2 : -1;
}

/** Notes what stands under a name that is one of a row of columns. */
export function noteColumn(scan: Scan, hit: Hit, name: Named, promise: SecretName): void {
  const header = readHeader(scan, name.start);
  if (header === undefined) return;
  const index = scan.text.slice(header.start, name.start).split(header.delimiter).length - 1;
  for (const start of columnValues(scan, header, index)) {
    const separator: Separator = {
      form: "cell",
      valueStart: skipGap(scan.text, start),
      isSpaced: false,
    };
    const value = readCell(scan, separator.valueStart);
    if (!header.isList && !isStrong(value.value) && !isWordPhrase(value.value)) continue;
    if (value.quote === "" && isCall(value.value)) continue;
    judge({ scan, hit, name, separator: { ...separator, form: "pair" } }, promise, value);
  }
}

/** A line of code under a name: `uuid.uuid4(`, `user_id=users[`, `status=1)`. */
const calls = (): RegExp =>
  /^[A-Za-z_]\w*(?:\.\w+)+[?!]?\(|^[A-Za-z_][\w.]*[?!]?[([]$|^[a-z]+(?:_[a-z]+)*=(?:[A-Za-z_][\w.]*(?:[([]|$)|\d{1,4}$)|^[A-Z][a-z]+(?:[A-Z][a-z]+)+\d{1,3}[A-Z][a-z]+$|^[a-z]+(?:\.[A-Z][a-zA-Z]*\d{0,4}){2,4}$/;

function isCall(value: string): boolean {
  return calls().test(value);
}

/** Whether a comma, a bar, a tab or an end stands on both sides of a name. */
export function canHead(text: string, { start, end }: Named): boolean {
  if (!" ,;|│(\"'`→>+#\n\t".includes(text[start - 1] ?? "\n")) return false;
  const quote = "\"'`".includes(text[end] ?? "x") ? 1 : 0;
  const at = skipGap(text, end + quote);
  return at >= text.length || ",;|│)\\\n\r\u001b".includes(text[at] ?? "x");
}
