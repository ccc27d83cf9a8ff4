import { isLabel } from "../labels.ts";
import { type Scan, spend } from "../scan.ts";
import type { ValueSpan } from "../value.ts";
import type { Named } from "./named-value.ts";
import type { Separator } from "./separator.ts";

/** How far around a line its neighbours are looked for, and how many of them. */
const reachChars = 240;
const linesMax = 4;

/** What names a place to log in to, beside which a password stands. */
const neighbour = (): RegExp =>
  /^(?:\\{0,15}["'])?(?:[\w.-]{0,40}[._-])?(user(?:name)?|name|uid|login|email|mail|account|host(?:name)?|server|(?:ip)?addr(?:ess)?|ip|endpoint|url|uri|dsn|port|database|db(?:name)?|schema|sid|realm|domain|driver|vhost|bucket|region|timeout|pool|ssl(?:mode)?|tls|enabled|client_id|from|image|adapter|encoding|charset)(?:\\{0,15}["'])?[ \t]{0,16}(=>|[:=])[ \t]{0,8}(.{0,120})$/i;
/** Marks of code, which settings do not end in or hold. */
const codeMarks = (): RegExp => /[(){};]|,$|=>|\b(?:self|this|args|opts|cfg)\./;
const typeWords = (): RegExp =>
  /^(?:str(?:ing)?|int(?:eger)?|number|bool(?:ean)?|text|varchar.*|char.*|bytes?|inet|uuid|date|float|any|object|optional|required|true|false|null|none|unknown|ok)[?!]?$/i;

/**
 * Whether a plain word is the value of a setting: neither prose, a type, a label nor code. Its own
 * line holds no more, and a line beside it says where one logs in (`host:`, `user =`, `port=`).
 */
export function isConfigWord(
  scan: Scan,
  name: Named,
  separator: Separator,
  span: ValueSpan,
): boolean {
  return isWord(span.value) && isBesidePlace(scan, name, separator, span);
}

/** Whether a value is alone on its line, and a line beside it says where one logs in. */
export function isBesidePlace(
  scan: Scan,
  name: Named,
  { form, isSpaced }: Separator,
  span: ValueSpan,
): boolean {
  if (form !== "equals" && form !== "colon") return false;
  spend(scan, 2 * reachChars);
  const end = span.end + span.quote.length;
  if (span.quote !== "") {
    const { before, after, others } = linesAround(scan.text, name.start, end);
    const own = [...before.split(pairEnd()), ...after.split(pairEnd())];
    return [...own, ...others].some((line) => tellsPlace(line, false));
  }
  const isEquals = form === "equals";
  if (isEquals && !isSpaced && isInRow(scan.text, name.start, end)) return true;
  const lines = linesAround(scan.text, name.start, end);
  const isVariable = /^[A-Z][A-Z\d_]+$/.test(scan.text.slice(name.start, name.end));
  const isBeside = (line: string): boolean =>
    tellsPlace(line, isEquals && isSpaced && !isVariable) || (isEquals && isSection(line));
  return isAlone(lines) && lines.others.some(isBeside);
}

function isWord(value: string): boolean {
  return value.length >= 4 && value.length <= 48 && !isLabel(value);
}

/** Whether a line holds no more than a setting. */
function isAlone({ before, after }: Lines): boolean {
  return /^\s*(?:\\*"[\s,}\]]*)?$/.test(after) && ownLead().test(before.replace(opener(), ""));
}

interface Lines {
  /** What of its own line stands before the name, and after the value. */
  readonly before: string;
  readonly after: string;
  readonly others: readonly string[];
}

const lineEnds = (): RegExp => /\r?\n|\\{1,8}r\\{1,8}n|\\{1,8}n/;
const pairEnd = (): RegExp => /,\s{0,8}|[{}]/;
/** What tools put before the lines that they show, and an indent. */
const lead = (): RegExp =>
  /^(?:[+-](?! )|\^?[\da-f]{7,12} (?:[\w./-]{1,64} {1,8})?\([^()]{8,80}\) |[^\s:]{1,64}[:-]\d{1,6}[:-]|\s{0,8}\d{1,6}(?:→|\t|\\+t|:| \|)|[\w.-]{1,32}[ \t]{1,8}\| |(?:> ?){1,4}|(?:#|\/\/|\*|;|--|\|) )?/;
/** The opening quote of a string of JSON in which lines stand, and the key before it. */
const opener = (): RegExp => /^[^\n]*[:[]\s?\\{0,15}"(?=\s*(?:- )?[\w.-]*(?:$|\s?[:=]))/;
const anyOpener = (): RegExp => /^[^\n]*?[:[]\s?\\{0,15}"(?=\s*[^\s",:}])/;
const ownLead = (): RegExp => /^[\s"'\\]*(?:- )?["'\\]*$/;

function linesAround(text: string, start: number, end: number): Lines {
  const from = Math.max(0, start - reachChars);
  const above = text.slice(from, start).split(lineEnds());
  const below = text.slice(end, end + reachChars).split(lineEnds());
  const before = (above.pop() ?? "").replace(lead(), "");
  const after = below.shift() ?? "";
  // What lies at the edge of the reach is cut off.
  if (from > 0) above.shift();
  return {
    before,
    after,
    others: [...above.slice(-linesMax), ...below.slice(0, linesMax)],
  };
}

/** `host=db user=app password=X`, `--set auth.password=X`: a row of settings, or a flag's value. */
function isInRow(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 80), start);
  if (/[\w"']=[^\s,()"'=]{1,64},$/.test(before) && !/\([^()]*$/.test(before))
    return text[end] !== ")";
  if (!/^(?:["'`\s\\;]|$)/.test(text.slice(end, end + 1))) return false;
  if (/(?:^|[\s"'])--?[A-Za-z][\w-]{0,24}[= ]["']?$/.test(before)) return true;
  return (
    /(?:^|[\s"'])[A-Za-z][\w.-]{0,40}=[^\s,()"']{1,64} +$/.test(before) ||
    (/[\s"']$/.test(before) && /^ +[A-Za-z][\w.-]{0,40}=[^\s,()]/.test(text.slice(end, end + 48)))
  );
}

/** The head of a section in a file of settings. */
function isSection(written: string): boolean {
  return /^\[[A-Za-z][\w.: "-]{1,48}\]$/.test(
    written.replace(opener(), "").replace(lead(), "").trim(),
  );
}

function tellsPlace(written: string, asksMore: boolean): boolean {
  const inside = written.replace(anyOpener(), "");
  return isPlaceLine(written, asksMore) || (inside !== written && isPlaceLine(inside, asksMore));
}

function isPlaceLine(written: string, asksMore: boolean): boolean {
  const line = written.replace(lead(), "").trim().replace(/^- /, "");
  const [, key = "", sign = "", rest = ""] = neighbour().exec(line) ?? [];
  const quoted = /^\\*["']([^"']{1,100}?)\\*["']/.exec(rest)?.[1];
  const value = quoted ?? rest.trim();
  if (!isPlace(value, key)) return false;
  if (quoted !== undefined) return true;
  if (sign === "=>" || codeMarks().test(rest)) return false;
  return !asksMore || /[\d./:@-]|^(?:localhost|root|admin|postgres|sa|guest)$/.test(value);
}

/** Whether a value could be a user or a host: neither a type nor a label. */
function isPlace(value: string, key: string): boolean {
  if (value === "" || /\s/.test(value) || typeWords().test(value)) return false;
  return value.toLowerCase() !== key.toLowerCase() && !isLabel(value);
}
