import { decodeBase64 } from "../checks/base64.ts";
import { isInnocent, isSecretValue } from "../judge.ts";
import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";
import { readSecretName } from "../secret-name.ts";
import { isOpenKey, isSessionCookie, nameBySiblings } from "../sibling-names.ts";
import { quoteAt, readQuoted, readValue, type ValueSpan } from "../value.ts";
import { isStrongWord } from "./command-value.ts";
import { skipLines } from "./gap.ts";
import { type Member, openingBefore, readObject } from "./json-object.ts";

/** How often a stretch of text is read for objects. */
const readsMax = 4;

function mayRead(scan: Scan, start: number): boolean {
  if (start >= scan.callEnd) scan.callReads = 0;
  else if (++scan.callReads > readsMax) return false;
  return true;
}

/** Finds what the members of an object of JSON say of one another (`"sensitive": true`, `"kty"`). */
export function scanSiblings(scan: Scan, hit: Hit): void {
  if (!mayRead(scan, hit.start)) return;
  const open = openingBefore(scan, hit.start);
  if (open < 0) return;
  const { members, end } = readObject(scan, open);
  scan.callEnd = Math.max(scan.callEnd, end);
  noteMembers(scan, hit, members);
}

function noteMembers(scan: Scan, hit: Hit, members: readonly Member[]): void {
  const at = (key: string): string | undefined => {
    const found = members.find((each) => each.key === key);
    return found === undefined ? undefined : (found.span?.value ?? found.bare);
  };
  for (const { key, span } of members) {
    const name = span === undefined ? undefined : nameBySiblings(key, span.value, at);
    if (span !== undefined && name !== undefined) noteUnder(scan, hit, span, name);
  }
}

const setting = { isQuoted: true, isLiteral: true };

function noteUnder(scan: Scan, hit: Hit, span: ValueSpan, name: string): void {
  const promise = readSecretName(name.slice(-64));
  if (promise === undefined || !isSecretValue(span.value, promise, setting)) return;
  noteSpan(scan, hit, span);
}

function noteSpan(scan: Scan, hit: Hit, { start, end, value }: ValueSpan): void {
  noteNamed(scan, { start, end, kind: hit.rule.kind, ruleId: hit.rule.id, canonical: value });
}

const cookiesMax = 32;

/** Finds sessions in a list of cookies (`"cookies": [{"name": …, "value": …}]`). */
export function scanCookieList(scan: Scan, hit: Hit): void {
  const { text } = scan;
  const lead = /^\\{0,15}"?\s{0,4}:\s{0,4}\[/.exec(text.slice(hit.end, hit.end + 32));
  if (lead === null || !mayRead(scan, hit.start)) return;
  let at = skipLines(text, hit.end + lead[0].length);
  for (let count = 0; count < cookiesMax && text[at] === "{"; count++) {
    const { members, end } = readObject(scan, at);
    const value = textUnder(members, "value");
    const isSession = isSessionCookie(textUnder(members, "name")?.value ?? "");
    if (value !== undefined && isSession) noteUnder(scan, hit, value, "session_token");
    const closed = skipLines(text, end);
    at = skipLines(text, closed + 1);
    if (text[closed] !== "}" || text[at] !== ",") break;
    at = skipLines(text, at + 1);
  }
  scan.callEnd = Math.max(scan.callEnd, at);
}

function textUnder(members: readonly Member[], key: string): ValueSpan | undefined {
  return members.find((each) => each.key.toLowerCase() === key)?.span;
}

const resultCharsMax = 1536;

/** Finds the password that Terraform has drawn (`"type": "random_password"`, then `"result"`). */
export function scanDrawnPassword(scan: Scan, hit: Hit): void {
  const window = scan.text.slice(hit.end, hit.end + resultCharsMax);
  const found = /\\{0,15}"result\\{0,15}"\s{0,4}:\s{0,4}(?=\\{0,15}")/.exec(window);
  const next = window.search(/"(?:type|mode)\\{0,15}"/);
  spend(scan, window.length);
  const isAfter = found !== null && (next < 0 || next > found.index);
  const at = isAfter ? hit.end + found.index + found[0].length : resultBefore(scan, hit.start);
  if (at < 0) return;
  const quote = quoteAt(scan.text, at);
  if (quote === undefined) return;
  const span = readQuoted(scan, at, quote);
  if (!isInnocent(span.value, setting) && span.value.length >= 8) noteSpan(scan, hit, span);
}

/** Place of the `"result"` among the attributes that a state holds before the type, or -1. */
function resultBefore(scan: Scan, typeAt: number): number {
  const from = Math.max(0, typeAt - resultCharsMax);
  const window = scan.text.slice(from, typeAt);
  spend(scan, window.length);
  const found = /^.*\\{0,15}"result\\{0,15}"\s{0,4}:\s{0,4}(?=\\{0,15}")/s.exec(window);
  if (found === null || !/"type\\{0,15}"\s{0,4}:\s{0,4}\\{0,15}$/.test(window)) return -1;
  const between = window.slice(found[0].length).match(/"(?:type|mode)\\{0,15}"/g)?.length ?? 0;
  return between > 1 ? -1 : from + found[0].length;
}

/** Finds the value that a vault of Azure's gives with the address that it has. */
export function scanVaultSecret(scan: Scan, hit: Hit): void {
  if (!mayRead(scan, hit.start)) return;
  const open = openingBefore(scan, hit.start);
  if (open < 0) return;
  const { members, end } = readObject(scan, open);
  scan.callEnd = Math.max(scan.callEnd, end);
  for (const { key, span } of members) {
    if (key !== "value" || span === undefined || span.value.length < 4) continue;
    if (!isInnocent(span.value, setting)) noteSpan(scan, hit, span);
  }
}

/** Finds what a Kubernetes secret holds, whatever its keys are called. */
export function scanClusterSecret(scan: Scan, hit: Hit): void {
  const { text } = scan;
  const isJson = text[hit.end - 1] === '"';
  if (!mayRead(scan, hit.start)) return;
  if (isJson) return scanJsonSecret(scan, hit);
  if (!/^(?:[\s"'\\]|$)/.test(text.slice(hit.end, hit.end + 1))) return;
  scanYamlSecret(scan, hit);
}

function scanJsonSecret(scan: Scan, hit: Hit): void {
  const open = openingBefore(scan, hit.start);
  if (open < 0) return;
  const { members, end } = readObject(scan, open);
  scan.callEnd = Math.max(scan.callEnd, end);
  for (const { key, bare, at } of members) {
    if ((key !== "data" && key !== "stringData") || !bare.startsWith("{")) continue;
    for (const each of readObject(scan, at).members) {
      if (each.span !== undefined) noteHeld(scan, hit, { key: each.key, span: each.span, isPlain: key !== "data" }); // prettier-ignore
    }
  }
}

const documentCharsMax = 4096;
const lineEnd = (): RegExp => /\r?\n|(?:\\{1,8}r)?\\{1,8}n/g;

interface Line {
  readonly start: number;
  readonly text: string;
}

/** The first line may stand in a string of JSON: what opens it is no part of it. */
function withoutOpener(lines: Line[]): void {
  const [first] = lines;
  const opened =
    /^[^\n]*[:[]\s?\\{0,15}"(?=[A-Za-z]{4,10}: )/.exec(first?.text ?? "")?.[0].length ?? 0;
  if (first !== undefined && opened > 0)
    lines[0] = { start: first.start + opened, text: first.text.slice(opened) };
}

/** The lines of the document around a place, from the one after `---` to the one before the next. */
function documentLines(scan: Scan, around: number): readonly Line[] {
  const from = Math.max(0, around - documentCharsMax);
  const window = scan.text.slice(from, around + documentCharsMax);
  spend(scan, window.length >> 1);
  const lines: Line[] = [];
  let start = 0;
  for (const end of window.matchAll(lineEnd())) {
    lines.push({ start: from + start, text: window.slice(start, end.index) });
    start = end.index + end[0].length;
  }
  lines.push({ start: from + start, text: window.slice(start) });
  withoutOpener(lines);
  const own = lines.findIndex((line) => line.start + line.text.length >= around);
  const isBreak = (line: Line): boolean => /^\W{0,8}---\s*$/.test(line.text);
  const first = lines.slice(0, own).findLastIndex(isBreak) + 1;
  const last = lines.slice(own).findIndex(isBreak);
  return lines.slice(first, last < 0 ? lines.length : own + last);
}

function scanYamlSecret(scan: Scan, hit: Hit): void {
  const lines = documentLines(scan, hit.start);
  scan.callEnd = Math.max(
    scan.callEnd,
    (lines.at(-1)?.start ?? 0) + (lines.at(-1)?.text.length ?? 0),
  );
  const own = lines.find(
    ({ start, text }) => start <= hit.start && hit.start <= start + text.length,
  );
  const column = own === undefined ? 0 : hit.start - own.start;
  let block = "";
  for (const { start, text } of lines) {
    const found = memberAt(text, column);
    if (found !== undefined) block = found.key;
    else if (block === "data" || block === "stringData") {
      const held = heldMember(text, column);
      if (held === undefined) continue;
      const span = readValue(scan, start + held.at);
      if (span.end > start + text.length + 1) continue;
      noteHeld(scan, hit, { key: held.key, span, isPlain: block !== "data" });
    }
  }
}

/** The key that begins in a column of a line. */
function memberAt(text: string, column: number): { key: string } | undefined {
  const found = /^["']?([A-Za-z][\w-]{0,40})["']?:/.exec(text.slice(column, column + 48));
  // A line's number is as wide in one line as in the next, or by one digit wider.
  return found === null ||
    !/^[\W\d]*(?:[\w.-]+\s{1,8}\||[^\s:]+[:-]\d+[:-])?[\W\d]*$/.test(text.slice(0, column))
    ? undefined
    : { key: found[1] as string };
}

function heldMember(text: string, column: number): { key: string; at: number } | undefined {
  const rest = text.slice(column);
  const found = /^[ \t]{1,16}["']?([\w./-]{1,64})["']?:[ \t]{1,8}(?=[^\s|>])/.exec(rest);
  return found === null ? undefined : { key: found[1] as string, at: column + found[0].length };
}

interface Held {
  readonly key: string;
  readonly span: ValueSpan;
  /** Written as it is and not in base64. */
  readonly isPlain: boolean;
}

function noteHeld(scan: Scan, hit: Hit, { key, span, isPlain }: Held): void {
  const { value } = span;
  if (value.length < 6 || isOpenKey(key) || isInnocent(value, setting)) return;
  if (isPlain ? !isStrongWord(value) : !isHidden(value)) return;
  noteSpan(scan, hit, span);
}

/** Base64 of something that is neither a sentence nor a setting that anybody may read. */
function isHidden(value: string): boolean {
  if (!/^[A-Za-z0-9+/]{8,}={0,2}$/.test(value) || value.length % 4 !== 0) return false;
  const plain = decodeBase64(value.slice(0, 400));
  if (/^(?:true|false|\d{1,6}|https?:\/\/\S+)\s*$/.test(plain)) return false;
  return !/^[\x20-\x7e\s]*$/.test(plain) || !/[a-z]{2,} [a-z]{2,} /.test(plain);
}
