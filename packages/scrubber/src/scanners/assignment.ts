import { charClasses, isAt } from "../chars.ts";
import { distinctChars, hasDenseRun, isMixed, looksRandom } from "../checks/randomness.ts";
import { skipEscapeTail, unescapePercent } from "../escapes.ts";
import { isInnocent, isSecretValue, type ValueSetting } from "../judge.ts";
import { nameCharsMax } from "../limits.ts";
import { findNamedKind } from "../named-kinds.ts";
import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";
import { readSecretName, type SecretName } from "../secret-name.ts";
import { readBare, readQuoted, readValue, type ValueSpan, quoteAt } from "../value.ts";
import { readSeparator, type Separator } from "./separator.ts";

interface Named {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds a value tied to a name that promises a secret: environment lines, JSON, YAML, XML,
 * code, flags, queries, connection strings, `name`/`value` pairs.
 */
export function scanAssignment(scan: Scan, hit: Hit): void {
  const nameEnd = endOfName(scan.text, hit.end);
  if (nameEnd === scan.nameEnd || nameEnd - hit.end > 24 || !canTie(scan.text, nameEnd)) return;
  scan.nameEnd = nameEnd;
  const name = readName(scan, hit.start, nameEnd);
  const separator = readSeparator(scan, name.start, nameEnd);
  spend(scan, nameEnd - name.start + 8);
  if (separator === undefined) return;
  const promise = readPromise(scan.text, name);
  if (promise === undefined) return;
  const value = readTied(scan, separator);
  if (value === undefined) return;
  judge({ scan, hit, name, separator }, promise, value);
}

/** Longest name that may belong to words before it, and how far before they may begin. */
const ownNameChars = 10;
const ownerCharsMax = 32;

/** Words before a credential that say how it is given, and are none themselves. */
const schemes = /^(?:(?:bearer|basic|token|apikey|bot) +|pass:)(?=\S)/i;

function schemeLength(text: string): number {
  if (!text.includes(" ") && !text.includes(":")) return 0;
  return schemes.exec(text)?.[0].length ?? 0;
}

/** Reads the name, with the word before it if it is a bare `key` (`the API key`). */
function readPromise(text: string, { start, end }: Named): SecretName | undefined {
  const promise = readSecretName(text.slice(start, end));
  if (promise !== undefined || end - start > 4 || text[start - 1] !== " ") return promise;
  const before = /(\w{2,10}) $/.exec(text.slice(Math.max(0, start - 12), start));
  return before === null ? undefined : readSecretName(`${before[1]}_${text.slice(start, end)}`);
}

interface Setting {
  readonly scan: Scan;
  readonly hit: Hit;
  readonly name: Named;
  readonly separator: Separator;
}

function judge(place: Setting, promise: SecretName, span: ValueSpan): void {
  const { scan, separator, hit } = place;
  const skipped = schemeLength(span.value.slice(0, 12));
  const raw = span.value.slice(skipped);
  const setting = settingOf(place, promise, span);
  const isEncoded = !setting.isQuoted && isInQuery(scan.text, place.name.start);
  const value = isEncoded ? unescapePercent(raw) : raw;
  spend(scan, Math.min(value.length, 256));
  if (!isTiedFirmly(separator, value)) return;
  const { start, end } = place.name;
  const own = findNamedKind(scan.text.slice(start, end), value);
  const isSecret =
    own === undefined ? isSecretValue(value, promise, setting) : !isInnocent(value, setting);
  if (!isSecret) return;
  const owned = own ?? findNamedKind(ownedName(scan.text, place.name), value);
  noteNamed(scan, {
    start: span.start + skipped,
    end: span.end,
    kind: owned?.kind ?? kindOf(promise),
    ruleId: hit.rule.id,
    canonical: value,
    isOwned: owned !== undefined,
    confidence: owned === undefined ? "medium" : "high",
    layer: layerOf(span),
    quote: span.quote === "" ? missingQuote(separator) : undefined,
  });
}

/** The forms of a tie that ask for most of a value; these are the quickest questions. */
function isTiedFirmly({ form }: Separator, value: string): boolean {
  if (form === "prose") return isStrong(value);
  return form !== "adjacent" || isUnmistakable(value);
}

/** The quote a bare JSON value needs when it becomes a string: that of its key. */
function missingQuote(separator: Separator): string | undefined {
  if (separator.form === "quoted") return undefined;
  const written = separator.nameQuote?.written;
  return written !== undefined && /^\\*"$/.test(written) ? written : undefined;
}

function kindOf({ family, owner }: SecretName): string {
  const kind = family === "key" ? "api_key" : family;
  return owner === undefined ? kind : `${owner}_${kind}`;
}

/** The name, with the words before it on its line where it is a bare one (`the Snyk token is`). */
function ownedName(text: string, { start, end }: Named): string {
  if (end - start > ownNameChars || text[start - 1] !== " ") return text.slice(start, end);
  const before = text.slice(Math.max(0, start - ownerCharsMax), end);
  return before.slice(before.lastIndexOf("\n") + 1);
}

function layerOf(span: ValueSpan): "plain" | "json" | "percent" {
  if (span.quote.startsWith("\\")) return "json";
  return span.quote.startsWith("%") ? "percent" : "plain";
}

/** Ties after which a bare word is a value and never code. */
const literalForms: ReadonlySet<Separator["form"]> = new Set(["flag", "login", "element", "pair"]);

function settingOf(place: Setting, promise: SecretName, span: ValueSpan): ValueSetting {
  const { separator, name, scan } = place;
  const isQuery = "?&;".includes(scan.text[name.start - 1] ?? "x");
  const isTight = separator.form === "equals" && !separator.isSpaced;
  const isLine = promise.isEnv || isQuery || scan.text[name.start] === "-";
  // Backticks hold code as often as values.
  const isQuoted = span.quote !== "" && span.quote !== "`";
  return { isQuoted, isLiteral: literalForms.has(separator.form) || (isTight && isLine) };
}

function isInQuery(text: string, nameStart: number): boolean {
  return text[nameStart - 1] === "?" || text[nameStart - 1] === "&";
}

function isStrong(value: string): boolean {
  return value.length >= 6 && /[0-9!@#$%^&*+?~]/.test(value) && /[A-Za-z]/.test(value)
    ? !/^[a-z]+['’][a-z]+$|^\w+[:/]/i.test(value)
    : looksRandom(value);
}

/** Strong enough to be a secret on the strength of the word before it alone. */
function isUnmistakable(value: string): boolean {
  if (value.length < 8 || !/[0-9]/.test(value) || /[/:(){}<>,;=*]/.test(value)) return false;
  if (value.length >= 20)
    return isMixed(value) && distinctChars(value, 10) >= 10 && hasDenseRun(value);
  return (
    /^[^_]*$/.test(value) &&
    /[a-z].*[A-Z]|[A-Z].*[a-z]/.test(value) &&
    !/^[A-Za-z]+\d{1,3}$/.test(value)
  );
}

function readTied(scan: Scan, separator: Separator): ValueSpan | undefined {
  const { valueStart, form } = separator;
  if (form === "quoted") {
    const quote = quoteAt(scan.text, valueStart);
    return quote === undefined ? undefined : readQuoted(scan, valueStart, quote);
  }
  if (form === "element") return readElement(scan, valueStart);
  const value = readValue(scan, valueStart);
  return value.quote === "" && /^[|>][-+]?$/.test(value.value || (scan.text[valueStart] ?? ""))
    ? readBlock(scan, valueStart)
    : value;
}

function readElement(scan: Scan, start: number): ValueSpan | undefined {
  const window = scan.text.slice(start, start + 512);
  const length = window.search(/<|&lt;|\n/);
  spend(scan, Math.max(length, 0) + 8);
  if (length <= 0) return undefined;
  return { start, end: start + length, quote: "", value: window.slice(0, length) };
}

/** The first line of a YAML block scalar. */
function readBlock(scan: Scan, start: number): ValueSpan | undefined {
  const lead = /^[|>][-+]?(?:\s*\n|\\+n)[ \t]+/.exec(scan.text.slice(start, start + 64));
  return lead === null ? undefined : readBare(scan, start + lead[0].length);
}

/** Characters after a name that may begin a tie; a quick way out of prose and code. */
function canTie(text: string, nameEnd: number): boolean {
  const char = text[nameEnd];
  return char !== undefined && " \t=:\"'`\\,?>(%&*\u001b\n\r]".includes(char);
}

function endOfName(text: string, from: number): number {
  let end = from;
  while (end - from <= 24 && isAt(text, end, charClasses.word)) end++;
  return end;
}

function readName(scan: Scan, hitStart: number, end: number): Named {
  const { text } = scan;
  let start = hitStart;
  const stop = Math.max(0, hitStart - nameCharsMax);
  while (start > stop && isAt(text, start - 1, charClasses.name)) start--;
  start = skipEscapeTail(text, start, hitStart);
  return { start, end };
}
