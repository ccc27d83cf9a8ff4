import { charClasses, isAt } from "../chars.ts";
import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";
import { quoteAt, readQuoted, type ValueSpan } from "../value.ts";
import { isGiven } from "./command-value.ts";
import { readWord } from "./command-words.ts";
import { skipGap } from "./separator.ts";

const statementCharsMax = 240;
/** Words that begin statements which give a user a password. */
const verbs = (): RegExp => /\b(?:create|alter|set|grant|identified|change|add|replace)\b/i;
const users = (): RegExp =>
  /\b(?:user|role|login|password|group|credential|master|server|mapping|secret|key|link)\b/i;

/** Finds the password after words that announce one (`IDENTIFIED WITH … BY '…'`). */
export function scanAnnounced(scan: Scan, hit: Hit): void {
  const { text } = scan;
  const rest = text.slice(hit.end, hit.end + 96);
  const lead = /^(?: +(?!by\b)[\w'"`-]{1,48}){0,2}? +by +(?:password +)?|^ +(?:values +)?(?:password +)?/i.exec(rest); // prettier-ignore
  spend(scan, 96);
  if (lead === null) return;
  const at = hit.end + lead[0].length;
  const quote = quoteAt(text, at);
  if (quote !== undefined) {
    noteQuoted(scan, hit, at);
    noteReplaced(scan, hit, readQuoted(scan, at, quote).end + quote.written.length);
  } else if (
    /identified by$/i.test(text.slice(hit.start, hit.end)) &&
    isStatement(scan, hit.start)
  ) {
    const word = readWord(scan, at);
    if (word === undefined || !isGiven(word.text)) return;
    noteSpan(scan, hit, { start: word.start, end: word.end, quote: "", value: word.text });
    noteReplaced(scan, hit, word.end);
  }
}

/** Notes the password before the new one, which some servers ask for: `REPLACE "X"`. */
function noteReplaced(scan: Scan, hit: Hit, from: number): void {
  const lead = /^ {1,4}replace {1,4}(?=\S)/i.exec(scan.text.slice(from, from + 20));
  if (lead === null) return;
  const at = from + lead[0].length;
  if (quoteAt(scan.text, at) !== undefined) return noteQuoted(scan, hit, at);
  const word = readWord(scan, at);
  if (word !== undefined && isGiven(word.text)) noteSpan(scan, hit, { start: word.start, end: word.end, quote: "", value: word.text }); // prettier-ignore
}

/** Finds the string after `PASSWORD`, in statements that give a user one. */
export function scanSqlPassword(scan: Scan, hit: Hit): void {
  const { text } = scan;
  if (isAt(text, hit.start - 1, charClasses.name)) return;
  const lead = /^password\s{0,4}(?:(?:for .{1,64}? )?=\s{0,4})?(?:password\s?)?\(?\s?N?(?=\\*["']|&#39;|&quot;)/i.exec(text.slice(hit.start, hit.start + 112)); // prettier-ignore
  spend(scan, 32);
  if (lead === null || !isStatement(scan, hit.start)) return;
  noteQuoted(scan, hit, hit.start + lead[0].length);
}

/** Whether words of a statement about users stand before a place. */
function isStatement(scan: Scan, at: number): boolean {
  const before = scan.text.slice(Math.max(0, at - statementCharsMax), at + 8);
  spend(scan, before.length >> 2);
  // A line end written as an escape ends in a letter, which is no part of the word after it.
  const statement = before.slice(before.lastIndexOf(";") + 1).replaceAll(/\\+[nrt]/g, " ");
  return verbs().test(statement) && users().test(statement);
}

/** The ways to check a password that stand where one may stand too. */
const plugins = (): RegExp =>
  /^(?:mysql_native_password|caching_sha2_password|sha256_(?:password|hash)|ed25519|parsec|unix_socket|auth_socket|(?:authentication_)?(?:ldap|pam|kerberos|fido|webauthn|windows|oci)\w*|\w{2,16}_(?:password|hash)|plaintext_password|no_password|ldap|kerberos|ssl_certificate)$/i;

function noteQuoted(scan: Scan, hit: Hit, index: number): void {
  const at = skipGap(scan.text, index);
  const quote = quoteAt(scan.text, at);
  if (quote === undefined || quote.char === "`") return;
  const span = readQuoted(scan, at, quote);
  if (isGiven(span.value) && !plugins().test(span.value)) noteSpan(scan, hit, span);
}

function noteSpan(scan: Scan, hit: Hit, span: ValueSpan): void {
  noteNamed(scan, {
    start: span.start,
    end: span.end,
    kind: hit.rule.kind,
    ruleId: hit.rule.id,
    rank: 1,
    canonical: span.value,
  });
}
