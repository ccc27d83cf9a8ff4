import { charClasses, isAt } from "../chars.ts";
import { looksRandom } from "../checks/randomness.ts";
import { endsInCount, isMadeUp } from "../checks/made-up.ts";
import { isWordPhrase } from "../checks/word-phrase.ts";
import { unescapePercent } from "../escapes.ts";
import { isInnocent, isSecretValue, type ValueSetting } from "../judge.ts";
import { isLabel } from "../labels.ts";
import { endsLine } from "../line-lead.ts";
import { findNamedKind } from "../named-kinds.ts";
import type { Hit, NamedKind } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";
import type { SecretName } from "../secret-name.ts";
import { isStrong, isUnmistakable, isUuid } from "../strength.ts";
import type { ValueSpan } from "../value.ts";
import { userChars } from "../user-pair.ts";
import { isBesidePlace, isConfigWord } from "./config-shape.ts";
import type { Separator } from "./separator.ts";

export interface Named {
  readonly start: number;
  readonly end: number;
}

export interface Setting {
  readonly scan: Scan;
  readonly hit: Hit;
  readonly name: Named;
  readonly separator: Separator;
}

export function judge(place: Setting, promise: SecretName, span: ValueSpan): void {
  const { text } = place.scan;
  const chars = userChars(text.slice(place.name.start, place.name.end), span.value);
  if (promise.isWeak && promise.family === "token" && isOfStore(place)) {
    judgeValue(place, { ...promise, family: "password", isWeak: false }, span);
    return;
  }
  if (chars === 0 || text.slice(span.start, span.start + chars) !== span.value.slice(0, chars)) {
    judgeValue(place, promise, span);
    return;
  }
  const password = { ...span, start: span.start + chars, value: span.value.slice(chars) };
  judgeValue(place, { ...promise, family: "password", isWeak: false }, password);
}

/** `tcp://cache:6379?auth=X`: in the address of such a server it is the password. */
function isOfStore({ scan: { text }, name }: Setting): boolean {
  return (
    /[?&]auth=$/.test(text.slice(Math.max(0, name.start - 1), name.end + 1)) &&
    /(?:redis|valkey|keydb|unix:\/\/|:6379)[^\s"'`]{0,64}$/i.test(
      text.slice(Math.max(0, name.start - 96), name.start),
    )
  );
}

function judgeValue(place: Setting, promise: SecretName, span: ValueSpan): void {
  const { scan, separator, name } = place;
  const skipped = schemeLength(span.value.slice(0, 12));
  const raw = span.value.slice(skipped);
  const isEncoded = !isInQuotes(span) && isInQuery(scan.text, name.start);
  const value = isEncoded ? unescapePercent(raw) : raw;
  spend(scan, Math.min(value.length, 256));
  const written = scan.text.slice(name.start, name.end);
  const owner = spokenOwner(place, value) ?? written;
  const own = findNamedKind(owner, value);
  const isFirm = own !== undefined || isTiedFirmly(separator, value, promise);
  if (!isFirm && !isQuotedPassword(place, promise, span)) return;
  if (repeats(value, written)) return;
  const setting = settingOf(place, promise, span);
  const isSecret =
    own === undefined
      ? isSecretValue(value, promise, setting) ||
        isSetWord(place, promise, span) ||
        isPhraseOfSecret(place, promise, span)
      : !isInnocent(value, setting);
  if (isSecret) noteValue(place, promise, { span, own, value, start: span.start + skipped });
}

/** The name with the words before it, where it may be said in a sentence. */
function spokenOwner({ scan, separator, name }: Setting, value: string): string | undefined {
  const isSpoken = separator.form === "prose" || separator.form === "colon";
  return isSpoken && value.length >= ownedCharsMin ? ownedName(scan.text, name) : undefined;
}

/** Whether a value is no more than the name beside it, or its last part: `c.adminPass = admin_pass`. */
function repeats(value: string, written: string): boolean {
  if (value.length > written.length + 3) return false;
  const name = folded(written);
  const word = folded(value);
  return name === word || (name.endsWith(word) && /[^A-Za-z\d]/.test(written.at(-word.length - 1) ?? "x")); // prettier-ignore
}

function folded(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, "");
}

/** Whose secret a pass-phrase may be; others of that name are what a cluster calls its own. */
const phrased = (): RegExp =>
  /^(?:.*[-_.])?(?:jwt|session|cookie|app|application|auth|csrf|signing|webhook|hmac|encryption|nextauth|client)[-_.]?secret$/i;

/** What is called to have sessions or tokens, right before the settings that it is given. */
const signers = (): RegExp =>
  /(?:session|jwt|cookie|csrf|passport|strategy|iron|auth)\w{0,16}\s{0,2}(?:\(\s{0,8}\{?|[:=]\s{0,2}\{)[^{}()\n]{0,64}$/i;

/** Whether words under the name of a secret that a program signs with are it, or a password in an element. */
function isPhraseOfSecret(
  { scan, name, separator }: Setting,
  { family }: SecretName,
  { quote, value }: ValueSpan,
): boolean {
  const isHeld = quote !== "" || separator.form === "element";
  if (!isWordPhrase(value, isHeld) && !(isMadeUp(value) && family !== "password")) return false;
  if (family === "password") return isHeld;
  const written = scan.text.slice(name.start, name.end);
  if (family === "key") return quote !== "" && /^(?:jwt|encryption|signing|hmac|secret)[-_.:]?key$/i.test(written); // prettier-ignore
  if (phrased().test(written)) return true;
  spend(scan, 32);
  const before = scan.text.slice(Math.max(0, name.start - 96), name.start);
  return written.toLowerCase() === "secret" && quote !== "" && signers().test(before);
}

/** Words that could be of code or of a label, where only the lines around tell. */
const plainWord = (): RegExp =>
  /^[a-z][A-Za-z]{3,}(?:[-_.][a-z]{2,}){0,4}\d{0,4}$|^[A-Z][A-Za-z]{5,}\d{1,4}$/;

/** Whether a plain word is the password of a file of settings. */
function isSetWord(place: Setting, promise: SecretName, span: ValueSpan): boolean {
  if (place.separator.isFallback === true) return isFallbackWord(span.value);
  if (isSharedSecret(place, span.value)) {
    return isBesidePlace(place.scan, place.name, place.separator, span);
  }
  if (promise.family !== "password" || !plainWord().test(span.value)) return false;
  const setting = { isQuoted: span.quote !== "", isLiteral: true };
  return (
    isSecretValue(span.value, { ...promise, isWeak: false }, setting) &&
    isConfigWord(place.scan, place.name, place.separator, span)
  );
}

/** What two machines share is called no more than a secret, and is often a word with a number. */
function isSharedSecret({ scan: { text }, name }: Setting, value: string): boolean {
  if (!/^(?:shared[-_])?secret$/i.test(text.slice(name.start, name.end))) return false;
  return /^(?=.*(?:pass|secret|test|admin|welcome))[A-Za-z]{4,20}\d{1,4}[!@#$%]?$/i.test(value);
}

/** What a program takes where a secret is not set: letters in a row, and no word about that. */
function isFallbackWord(value: string): boolean {
  if (isMadeUp(value)) return true;
  return /^[a-z]{5,}(?:-[a-z]{3,}){0,4}$/.test(value) && value.length >= 10 && !isLabel(value);
}

/** No vendor's key is shorter. */
const ownedCharsMin = 16;

interface Found {
  readonly span: ValueSpan;
  readonly own: NamedKind | undefined;
  readonly value: string;
  readonly start: number;
}

function noteValue(place: Setting, promise: SecretName, { span, own, value, start }: Found): void {
  const { scan, hit, name } = place;
  const owned = own ?? findNamedKind(ownedName(scan.text, name), value);
  noteNamed(scan, {
    start,
    end: span.end,
    kind: owned?.kind ?? kindOf(promise),
    ruleId: hit.rule.id,
    canonical: value,
    isOwned: owned !== undefined,
    confidence: owned === undefined ? "medium" : "high",
    layer: layerOf(span),
    quote: span.quote === "" ? missingQuote(scan, start) : undefined,
  });
}

/** The forms of a tie that ask for most of a value; these are the quickest questions. */
function isTiedFirmly({ form, isWrapped }: Separator, value: string, name: SecretName): boolean {
  if (isWrapped === true || name.isVague === true) {
    return isUnmistakable(value) && !(name.isVague === true && isUuid(value));
  }
  if (name.family === "password" && isWordPhrase(value, true)) return true;
  if (form === "prose" || form === "line") return isStrong(value);
  return (form !== "adjacent" && form !== "cell") || isNextTo(value, name);
}

/** `password 'we1come!'`: in quotes right after its name, with a digit and a mark in it. */
function isQuotedPassword(
  { separator }: Setting,
  { family, isWeak }: SecretName,
  { quote, value }: ValueSpan,
): boolean {
  if (separator.form !== "adjacent" || family !== "password" || isWeak) return false;
  return (quote === "'" || quote === '"') && /^(?=.*\d)(?=.*[A-Za-z])[\w.-]{3,}[!@#$%^&*+~]+[\w!@#$%^&*+~]*$/.test(value); // prettier-ignore
}

/** Whether a value says enough where no sign stands between it and its name. */
function isNextTo(value: string, name: SecretName): boolean {
  if (isUnmistakable(value) || (name.family === "password" && isMadeUp(value) && !(name.isWeak && endsInCount(value)))) return true; // prettier-ignore
  return isUuid(value)
    ? name.isEnv || name.family === "key"
    : name.isEnv && isOfVariable(value, name);
}

/** What a variable of the environment is set to: two words and a number between them are a password. */
function isOfVariable(value: string, { family }: SecretName): boolean {
  const isCapital = family === "password" && isAt(value, 0, charClasses.upper);
  if (isCapital && /^[A-Z][a-z]+[_.-]?\d{2,}[A-Z]/.test(value)) return true;
  return value.length >= 20 && !value.includes("/") && looksRandom(value);
}

/** The quote a bare JSON value needs when it becomes a string: that of its key. */
function missingQuote({ text }: Scan, valueStart: number): string | undefined {
  return /(\\*")\s{0,4}:\s{0,4}$/.exec(text.slice(Math.max(0, valueStart - 16), valueStart))?.[1];
}

function kindOf({ family, owner }: SecretName): string {
  const kind = family === "key" ? "api_key" : family;
  return owner === undefined ? kind : `${owner}_${kind}`;
}

/** Longest name that may belong to words before it, and how far before they may begin. */
const ownNameChars = 10;

const ownerCharsMax = 32;

/** The name, with the words before it on its line where it is a bare one (`the Snyk token is`). */
function ownedName(text: string, { start, end }: Named): string {
  if (end - start > ownNameChars || text[start - 1] !== " ") return text.slice(start, end);
  const before = text.slice(Math.max(0, start - ownerCharsMax), end);
  return before.slice(before.lastIndexOf("\n") + 1);
}

/** Words before a credential that say how it is given, and are none themselves. */
const schemes = (): RegExp => /^(?:(?:bearer|basic|token|apikey|bot) +|pass:)(?=\S)/i;

function schemeLength(text: string): number {
  if (!text.includes(" ") && !text.includes(":")) return 0;
  return schemes().exec(text)?.[0].length ?? 0;
}

function layerOf(span: ValueSpan): "plain" | "json" | "percent" {
  if (span.quote.startsWith("\\")) return "json";
  return span.quote.startsWith("%") ? "percent" : "plain";
}

/** Ties after which a bare word is a value and never code. */
const literalForms: ReadonlySet<Separator["form"]> = new Set([
  "flag", "login", "element", "pair", "line", "default",
]); // prettier-ignore

function settingOf(place: Setting, promise: SecretName, span: ValueSpan): ValueSetting {
  const isQuoted = isInQuotes(span);
  const isAlone = !isQuoted && span.value.includes(".") && isNoCode(place, span.end);
  return { isQuoted, isLiteral: isLiteralAt(place, promise, span), isAlone };
}

/** Whether a value stands in a sentence, in bold or at the end of its line. */
function isNoCode({ scan: { text }, separator }: Setting, end: number): boolean {
  return separator.form === "prose" || text.startsWith("**", end) || endsLine(text, end);
}

/** Backticks hold code as often as values. */
function isInQuotes({ quote }: ValueSpan): boolean {
  return quote !== "" && quote !== "`";
}

function isLiteralAt(
  { separator, name, scan }: Setting,
  promise: SecretName,
  span: ValueSpan,
): boolean {
  const { form, isSpaced } = separator;
  // What an element holds may be a text for readers.
  if (form === "element" && isSpaced) return false;
  if (literalForms.has(form)) return true;
  if (form === "colon") return isEnvironmentLine(scan.text, name, promise, span);
  if (form !== "equals" || isSpaced) return false;
  const before = scan.text[name.start - 1] ?? "x";
  return (
    promise.isEnv ||
    scan.text[name.start] === "-" ||
    "?&;#".includes(before) ||
    isInQuery(scan.text, name.start)
  );
}

/** `POSTGRES_PASSWORD: word` and no more on the line: a label in capitals goes on with a sentence. */
function isEnvironmentLine(
  text: string,
  { start, end }: Named,
  { isEnv, family }: SecretName,
  span: ValueSpan,
): boolean {
  if (!isEnv || family !== "password" || !text.slice(start, end).includes("_")) return false;
  return endsLine(text, span.end + span.quote.length);
}

function isInQuery(text: string, nameStart: number): boolean {
  const before = text[nameStart - 1] ?? " ";
  return (
    "?&#6;".includes(before) && queryMark().test(text.slice(Math.max(0, nameStart - 6), nameStart))
  );
}

const queryMark = (): RegExp => /(?:[?&#]|\\u0026|&amp;)$/;
