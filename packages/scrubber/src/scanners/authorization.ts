import { charClasses, isAt } from "../chars.ts";
import { decodeBase64, isPrintable } from "../checks/base64.ts";
import { distinctChars, isMixed, looksRandom } from "../checks/randomness.ts";
import { isMadeUp } from "../checks/made-up.ts";
import { endsEscape } from "../escapes.ts";
import type { Hit } from "../rule.ts";
import { noteNamed, runEnd, type Scan, spend } from "../scan.ts";
import { quoteAt, readValue } from "../value.ts";
import { isMember } from "../written-value.ts";
import { isStrongWord } from "./command-value.ts";
import { skipGap } from "./separator.ts";

/** Finds the credentials after `Bearer` or `Basic`, wherever the scheme stands. */
export function scanScheme(scan: Scan, hit: Hit): void {
  const { text } = scan;
  if (isAt(text, hit.start - 1, charClasses.word) && !endsEscape(text, hit.start)) return;
  const start = afterSchemeGap(text, hit.end);
  if (start === hit.end) return;
  const end = runEnd(scan, start, charClasses.token68);
  const value = text.slice(start, Math.min(end, start + 256));
  spend(scan, value.length);
  const isBasic = hit.end - hit.start === "basic".length;
  if (isBasic && text[end] === ":") return notePlainBasic(scan, hit, end + 1);
  if (":!@#$%^&*".includes(text[end] ?? " ") && noteJoined(scan, hit, start)) return;
  if (!(isBasic ? isUserAndPassword(value) : isBearerToken(text, hit.start, value))) return;
  note(scan, hit, { start, end }, isBasic ? "basic_credentials" : "bearer_token");
}

function note(scan: Scan, { rule }: Hit, { start, end }: Place, kind: string): void {
  noteNamed(scan, { start, end, kind, ruleId: rule.id, confidence: "high" });
}

interface Place {
  readonly start: number;
  readonly end: number;
}

/** Notes a token with colons or other marks in it after the name of the header: not every vendor keeps to RFC 6750. */
function noteJoined(scan: Scan, hit: Hit, start: number): boolean {
  const { end, value } = readValue(scan, start);
  const isToken = /^\w[\w/:+=.~!@#$%^&*-]{11,}$/.test(value) && isMixed(value);
  if (!isToken || value.length !== end - start || !isAuthorization(scan.text, hit.start))
    return false;
  note(scan, hit, { start, end }, "bearer_token");
  return true;
}

/** `Basic user:password`, which tools that send requests encode themselves. */
function notePlainBasic(scan: Scan, hit: Hit, at: number): void {
  const { start, end, value } = readValue(scan, at);
  if (
    !isAuthorization(scan.text, hit.start) ||
    value.length < 4 ||
    !(isStrongWord(value) || isMadeUp(value))
  )
    return;
  noteNamed(scan, { start, end, kind: "basic_credentials", ruleId: hit.rule.id, canonical: value });
}

/** Finds what follows `Authorization:` under a scheme of any name, or none. */
export function scanAuthorization(scan: Scan, hit: Hit): void {
  const at = headerValueStart(scan.text, hit.end);
  const start = at < 0 ? -1 : credentialsStart(scan.text, at);
  if (start < 0) return;
  const end = runEnd(scan, start, charClasses.token68);
  const value = scan.text.slice(start, Math.min(end, start + 256));
  spend(scan, value.length + 32);
  if (value.length < 8 || distinctChars(value, 6) < 6 || scan.text[end] === "(") return;
  if (!isMixed(value) && !looksRandom(value)) return;
  if (isMember(value) || isVariable(scan.text, hit.end, value)) return;
  noteNamed(scan, { start, end, kind: hit.rule.kind, ruleId: hit.rule.id });
}

/** `'Authorization': type1msg`: after a name in quotes, what has none is a variable. */
function isVariable(text: string, nameEnd: number, value: string): boolean {
  return (
    /^["']: [A-Za-z]/.test(text.slice(nameEnd, nameEnd + 4)) &&
    /^[a-z]{2,8}\d[a-z]{2,8}$/.test(value)
  );
}

/** `{"name": "Cookie", "value": "…"}`. */
const pairedKey = (): RegExp => /^(?:\s|\\+n){0,16}\\{0,15}["']value\\{0,15}["']\s{0,2}:/i;

/** Place of a header's value after its name, quotes and separator passed; -1 without one. */
export function headerValueStart(text: string, nameEnd: number): number {
  const at = skipGap(text, nameEnd + (quoteAt(text, nameEnd)?.written.length ?? 0));
  if (!":=,".includes(text[at] ?? "x")) return -1;
  const paired = text[at] === "," ? pairedKey().exec(text.slice(at + 1, at + 33)) : null;
  const value = skipGap(text, at + 1 + (paired?.[0].length ?? 0));
  return value + (quoteAt(text, value)?.written.length ?? 0);
}

/** Place after the scheme, or -1 for schemes that rules of their own look after. */
function credentialsStart(text: string, at: number): number {
  const lead = /^([A-Za-z][\w-]{1,24}) +(?=\S)/.exec(text.slice(at, at + 32));
  if (lead !== null && /^(?:bearer|basic|digest|aws4)/i.test(lead[0])) return -1;
  const start = at + (lead?.[0].length ?? 0);
  const name = /^token=\\*"?/.exec(text.slice(start, start + 12));
  return start + (name?.[0].length ?? 0);
}

/** Finds a hexadecimal or base64 signature after `Signature=`, `sig=` or `response=`. */
export function scanSignature(scan: Scan, hit: Hit): void {
  const { text } = scan;
  if (isAt(text, hit.start - 1, charClasses.letter)) return;
  const span = readValue(scan, hit.end);
  const bare = span.value.replace(/(?:%3[dD]|=)+$/, "");
  const isHex = /^[0-9a-fA-F]{32,128}$/.test(bare);
  const charsMin = isQueryName(text, hit.start) ? 20 : 40;
  const isBase64 =
    bare.length >= charsMin && /^(?:[\w+/~-]|%2[BbFf])+$/.test(bare) && isMixed(bare);
  spend(scan, Math.min(bare.length, 512));
  if (!isHex && !isBase64) return;
  noteNamed(scan, { start: span.start, end: span.end, kind: hit.rule.kind, ruleId: hit.rule.id });
}

/** Whether a name begins a pair of a query. */
function isQueryName(text: string, start: number): boolean {
  return /(?:[?&]|&amp;|\\u0026)$/.test(text.slice(Math.max(0, start - 6), start));
}

function afterSchemeGap(text: string, index: number): number {
  if (text.startsWith("%20", index)) return index + 3;
  return skipGap(text, index);
}

/** Whether a header's name stands before the scheme, so that a password will do for a token. */
function isAuthorization(text: string, schemeStart: number): boolean {
  return /authorization\\{0,7}["']?\s{0,2}[:=,]\s{0,2}\\{0,7}["'`]?$/i.test(
    text.slice(Math.max(0, schemeStart - 40), schemeStart),
  );
}

function isBearerToken(text: string, schemeStart: number, value: string): boolean {
  if (isOpaqueToken(value)) return true;
  return value.length >= 8 && isAuthorization(text, schemeStart) && isStrongWord(value);
}

function isOpaqueToken(value: string): boolean {
  if (value.length < 12 || distinctChars(value, 6) < 6) return false;
  if (/your|example|token|xxxx|placeholder/i.test(value) && !/\d[a-z]+\d/i.test(value))
    return false;
  return value.length >= 16 ? isMixed(value) || looksRandom(value) : /\d.*[a-z].*\d/i.test(value);
}

function isUserAndPassword(value: string): boolean {
  if (value.length < 8 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(value)) return false;
  const plain = decodeBase64(value);
  return isPrintable(plain) && /^[^:]*:.+/s.test(plain);
}
