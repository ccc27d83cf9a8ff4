import { charClasses, isAt } from "../chars.ts";
import { distinctChars } from "../checks/randomness.ts";
import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";

const windowChars = 160;
const tieCharsMax = 72;
/** What stands between a name and what it names: words, then a sign or a verb. */
const tie = (): RegExp => /^(?:[ \p{L}\d'’()/-]{0,56}?)(?:[:：=]| is(?![a-z])| to be| ist| est| es| è| é| auf(?= \d{4,8} (?:gesetzt|geändert)\b)| —| –|は|是|为|為|는|은)\s{0,4}(?:\r?\n\s{0,8}|\\n\s{0,8}){0,2}[`"'*]{0,3}\\{0,3}["'`]?/iu; // prettier-ignore
const digits = (): RegExp =>
  /^(?:[A-Z]{1,3}-)?(\d{3}[ -]?\d{3}|\d{4,8})(?![\w.-]\d|[\d%])(?=[^\w]|$)/;
/** Words after a number that make it a measure. */
const measures = (): RegExp => /^[ -]?(?:digits?|chars?|characters?|minutes?|mins?|seconds?|secs?|hours?|days?|times?|attempts?|bits?|bytes?|of)\b/i; // prettier-ignore

/** Finds the number of a one-time code in the sentence that sends it. */
export function scanOneTimeCode(scan: Scan, hit: Hit): void {
  const { text } = scan;
  const window = text.slice(hit.end, hit.end + windowChars);
  spend(scan, 32);
  if (isAt(text, hit.start - 1, charClasses.alnum) && isShortName(text, hit.start)) return;
  const at = tie().exec(window.slice(0, tieCharsMax))?.[0].length ?? directAt(text, hit, window);
  if (at < 0) return noteSaidBefore(scan, hit, window);
  const found =
    digits().exec(window.slice(at, at + 16)) ?? codeGroups().exec(window.slice(at, at + 64));
  if (found === null || isYear(found[0]) || measures().test(window.slice(at + found[0].length)))
    return;
  const value = found[0];
  const start = hit.end + at;
  const isGuessable = true;
  noteNamed(scan, { start, end: start + value.length, kind: hit.rule.kind, ruleId: hit.rule.id, canonical: value.replaceAll(/[ -]/g, ""), isGuessable }); // prettier-ignore
}

/** Groups of capitals and digits, at least one digit among them, as codes that unlock are printed. */
const codeGroups = (): RegExp => /^(?=[A-Z-]{0,40}\d)[A-Z\d]{4,6}(?:-[A-Z\d]{4,6}){2,7}(?![\w-])/;
const saidBefore = (): RegExp =>
  /(?:^|[\s"'`>])((?:[A-Z]{1,2}-)?\d{4,8}|\d{3}[ -]\d{3}) (?:is|ist|est|es|è|é|jest|är) (?:your|dein|ihr|votre|ton|tu|su|il tuo|la tua|o seu|a sua|twój|din)(?: [\p{L}\d'’.-]{1,20}){0,4} ?$/iu;

/** `123456 is your login code`. */
function noteSaidBefore(scan: Scan, { start, rule }: Hit, after: string): void {
  if (!/^(?:[.!,;)]|\s|$)/.test(after)) return;
  const before = scan.text.slice(Math.max(0, start - 96), start).replace(/[\p{L}-]{1,24}$/u, "");
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const value = saidBefore().exec(line)?.[1];
  if (value === undefined || isYear(value)) return;
  const from = Math.max(0, start - 96) + before.lastIndexOf(value);
  noteNamed(scan, { start: from, end: from + value.length, kind: rule.kind, ruleId: rule.id, canonical: value.replaceAll(/[ -]/g, ""), isGuessable: true }); // prettier-ignore
}

/** Finds the number that opens an encrypted disk: eight groups of six digits. */
export function scanRecoveryKey(scan: Scan, hit: Hit): void {
  const window = scan.text.slice(hit.end, hit.end + 160);
  spend(scan, 48);
  const found = /(?:^|[^\d-])(\d{6}(?:-\d{6}){7})(?![\d-])/.exec(window);
  if (found === null) return;
  const value = found[1] as string;
  const start = hit.end + found.index + found[0].length - value.length;
  noteNamed(scan, { start, end: start + value.length, kind: "recovery_code", ruleId: hit.rule.id, confidence: "high" }); // prettier-ignore
}

/** `use code 123456 to sign in`, `enter the verification code 123456`. */
function directAt(text: string, hit: Hit, window: string): number {
  if (/^puk $/i.test(text.slice(hit.start, hit.end))) return /^\d{8}\b/.test(window) ? 0 : -1;
  if (/^(?::|s)$/i.test(text[hit.end - 1] ?? "")) return /^\s{0,2}/.exec(window)?.[0].length ?? 0;
  if (!/^ \d{6}\b|^ \d{3}[ -]\d{3}\b/.test(window)) return -1;
  const before = text.slice(Math.max(0, hit.start - 24), hit.start);
  if (/^use/i.test(text.slice(hit.start, hit.end))) return 1;
  return /\b(?:use|enter|with|your|the|type)(?: [a-z-]{1,12})? ?$/i.test(before) ? 1 : -1;
}

/** A name that is the end of other words: `pin`, `puk`, `tan`. */
function isShortName(text: string, start: number): boolean {
  return /^(?:pin|puk|tan)/i.test(text.slice(start, start + 3));
}

function isYear(value: string): boolean {
  return /^(?:19|20)\d\d$/.test(value);
}

/** The rest of the name of a setting, and its sign. */
const seedTie = (): RegExp => /^[\w.-]{0,24}\\{0,15}["'`]?\s{0,4}(?:=>|[:=])\s{0,4}\\{0,15}["'`]?/;

const groups = (): RegExp => /^((?:[A-Z2-7]{4}[ -]){3,15}[A-Z2-7]{1,4}|(?:[a-z2-7]{4}[ -]){3,15}[a-z2-7]{1,4}|[A-Z2-7]{16,64}|[a-z2-7]{26,64})={0,6}(?![A-Za-z0-9])/; // prettier-ignore

/** Finds the seed of one-time codes, in base32, after words that say what it is. */
export function scanOneTimeSeed(scan: Scan, hit: Hit): void {
  const { text } = scan;
  const window = text.slice(hit.end, hit.end + windowChars);
  spend(scan, 48);
  const lead = seedTie().exec(window.slice(0, tieCharsMax)) ?? tie().exec(window.slice(0, tieCharsMax)) ?? /^[ \w'’(),/-]{0,56}\n?\s{1,8}(?=[A-Z2-7]{4}[ -][A-Z2-7]{4}[ -])/.exec(window.slice(0, tieCharsMax)); // prettier-ignore
  if (lead === null) return;
  const found = groups().exec(window.slice(lead[0].length))?.[1];
  if (found === undefined || !isSeed(found)) return;
  const start = hit.end + lead[0].length;
  const canonical = found.replaceAll(/[ -]/g, "").toUpperCase();
  noteNamed(scan, { start, end: start + found.length, kind: hit.rule.kind, ruleId: hit.rule.id, canonical, confidence: "high" }); // prettier-ignore
}

/** Base32 is neither words nor a constant: it has digits and many characters. */
function isSeed(value: string): boolean {
  const bare = value.replaceAll(/[ -]/g, "");
  if (/^ABCDEFG/i.test(bare)) return false;
  return bare.length >= 16 && /[2-7]/.test(bare) && distinctChars(bare, 8) >= 8;
}
