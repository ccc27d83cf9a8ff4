import { charClasses, isAt } from "../chars.ts";
import { distinctChars } from "../checks/randomness.ts";
import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";

const windowChars = 160;
const tieCharsMax = 72;
/** What stands between a name and what it names: words, then a sign or a verb. */
const tie = (): RegExp => /^(?:[ \p{L}\d'’()/-]{0,56}?)(?:[:：=]| is| to be| ist| est| es| è| é| auf(?= \d{4,8} (?:gesetzt|geändert)\b)| —| –|は|是|为|為|는|은)\s{0,4}(?:\r?\n\s{0,8}|\\n\s{0,8}){0,2}[`"'*]{0,3}\\{0,3}["'`]?/iu; // prettier-ignore
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
  if (at < 0) return;
  const found = digits().exec(window.slice(at, at + 16));
  if (found === null || isYear(found[0]) || measures().test(window.slice(at + found[0].length)))
    return;
  const value = found[0];
  const start = hit.end + at;
  const isGuessable = true;
  noteNamed(scan, { start, end: start + value.length, kind: hit.rule.kind, ruleId: hit.rule.id, canonical: value.replaceAll(/[ -]/g, ""), isGuessable }); // prettier-ignore
}

/** `use code 123456 to sign in`, `enter the verification code 123456`. */
function directAt(text: string, hit: Hit, window: string): number {
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

const groups = (): RegExp => /^((?:[A-Z2-7]{4}[ -]){3,15}[A-Z2-7]{1,4}|(?:[a-z2-7]{4}[ -]){3,15}[a-z2-7]{1,4}|[A-Z2-7]{16,64}|[a-z2-7]{26,64})={0,6}(?![A-Za-z0-9])/; // prettier-ignore

/** Finds the seed of one-time codes, in base32, after words that say what it is. */
export function scanOneTimeSeed(scan: Scan, hit: Hit): void {
  const { text } = scan;
  const window = text.slice(hit.end, hit.end + windowChars);
  spend(scan, 48);
  const lead = tie().exec(window.slice(0, tieCharsMax)) ?? /^[ \w'’(),/-]{0,56}\n?\s{1,8}(?=[A-Z2-7]{4}[ -][A-Z2-7]{4}[ -])/.exec(window.slice(0, tieCharsMax)); // prettier-ignore
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
