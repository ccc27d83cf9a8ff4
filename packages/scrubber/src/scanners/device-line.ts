import { looksRandom } from "../checks/randomness.ts";
import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";
import { isGiven, isStrongWord } from "./command-value.ts";

const beforeCharsMax = 96;
const afterCharsMax = 224;
/** A secret as it stands in a device's settings: in quotes, or a word. */
const word = String.raw`\\{0,7}["']?([^\s"'\\;]{3,128})`;
/** How it is stored, in front of it: 0 as it is, 7 so that it can be read back. */
const sort = String.raw`(?:\d{1,2} )?`;

interface Form {
  /** What stands after the anchor, with each secret in a group. */
  readonly after: string;
  /** What stands before it on its line. */
  readonly before?: () => RegExp;
  /** Less than a strong word will do: nothing else stands there. */
  readonly isSure?: boolean;
  /** It stands on one of the lines that follow. */
  readonly isBlock?: boolean;
}

const keyed: Form = {
  after: `^(?: ?=| (?:local |remote |ascii-text |hexadecimal |hex |ascii |key |cipher |simple |(?:address|hostname) \\S+ (?:[\\d.]+ )?key )?)${sort}${word}`,
  isSure: true,
};
const block: Form = {
  after: String.raw`^[^\n]{0,96}(?:\n[ \t]{1,8}[^\n]{1,96}){0,5}?\n[ \t]{1,8}key ${sort}${word}`,
  isSure: true,
  isBlock: true,
};
const words = (pattern: string): Form => ({ after: `^${pattern}`, isSure: true });

/** A line of settings begins here. */
const indented = (): RegExp => /(?:^|[\r\n\t]|\\[nt])[ \t]*$/;

/** By anchor, how the systems of routers, switches, firewalls and monitors write a secret. */
const forms: Readonly<Record<string, Form>> = {
  "pre-shared-key": keyed,
  "pre-shared-secret": keyed,
  "key-string": keyed,
  "key-octet-string": keyed,
  "plain-text-password-value": keyed,
  "plaintext-password": keyed,
  "plaintext-key": keyed,
  "ldap-login-password": keyed,
  "message-digest-key": words(` \\d{1,3} (?:encrypted )?(?:md5|hmac-sha-\\d+|sha\\d*) ${sort}${word}`),
  "authentication-key": words(`(?:=| (?:\\d{1,5} (?:md5|sha\\d*|hmac-\\S+|aes\\S*|type \\S+) (?:value )?)?)${sort}${word}`),
  "authentication md5": words(` \\d{1,3} key ${word}`),
  "authentication text": words(` ${word}`),
  "authentication mode hmac": words(`-\\S{3,12} ${sort}${word}`),
  "snmp-server host": words(` \\S+ (?:vrf \\S+ )?(?:traps |informs |use-vrf \\S+ )?(?:version (?:1|2c) |community |(?!version 3))${sort}${word}`),
  "snmp-server user": words(` \\S+ \\S+ (?:v3 )?(?:encrypted )?(?:auth )?(?:md5|sha\\S{0,4}) ${word}["']?(?: priv (?:des|3des|aes(?:[- ]?\\d+)?)? ?${word})?`),
  "usm-user": words(` v3 \\S+ (?:\\S+ ){0,2}(?:authentication-mode|auth|simple authentication-mode) (?:md5|sha\\S{0,4}) (?:cipher |simple )?${word}["']?(?: (?:privacy-mode|priv) \\S+ (?:cipher |simple )?${word})?`),
  "snmp-agent community": words(` (?:read|write) (?:cipher |simple )?${word}`),
  "password simple": words(` ${word}`),
  "password cipher": words(` ${word}`),
  "irreversible-cipher": words(` ${word}`),
  "set-key ascii": words(` ${sort}${word}`),
  "wpa-psk ascii": words(` ${sort}${word}`),
  "nhrp authentication": words(` ${word}`),
  "ftp> user ": words(`\\S{1,64} ${word}`),
  "failover key": words(` (?:hex )?${sort}${word}`),
  "key 7 ": words("([01]\\d(?:[\\dA-F]{2}){3,64})(?=\\s|\\\\|\"|$)"),
  "password 7 ": words("([01]\\d(?:[\\dA-F]{2}){3,64})(?=\\s|\\\\|\"|$)"),
  "secret 9 ": words("(\\$9\\$[\\w./]{14}\\$[\\w./]{43})"),
  "secret 4 ": words("([\\w./]{43})(?=\\s|\\\\|\"|$)"),
  "createuser ": words(`(?:-e \\S+ )?[\\w.@-]+ (?:MD5|SHA\\S{0,4}) ${word}["']?(?: (?:DES|AES\\S{0,4}) ${word})?`),
  " enc ": { after: "^([\\w+/]{16,}={0,2})(?=[\\s\"'\\\\]|$)", before: () => /\bset [\w-]{2,32}$/, isSure: true },
  "option key": { ...words(`\\d? \\\\{0,7}["'](?:s:)?([^"'\\\\+]{4,128})`), before: indented },
  "option password": { ...words(` \\\\{0,7}["']([^"'\\\\]{4,128})`), before: indented },
  "uci set ": words(`[\\w.@[\\]-]{3,64}\\.(?:key\\d?|password|passwd|psk|sae_password|auth_secret|acct_secret|private_key|preshared_key)=\\\\{0,7}["']?(?:s:)?([^\\s"'\\\\]{4,128})`),
  "tacacs server ": block,
  "radius server ": block,
  "aaa-server ": block,
  "server-private ": words(`\\S+ (?:\\S+ ){0,8}?key ${sort}${word}`),
  "neighbor ": words(`[\\w.:%-]{2,48} password ${sort}${word}`),
  "check_command": { after: "^\\s{1,24}[\\w-]{2,48}((?:![^!\\n]{0,96}){2,8})" },
  "command_line": { after: "^.{8,160}?(?:-p|--password|--passwd|-P|--authpass|--community)[= ]([^\\s$'\"]{4,96})" },
  "$user": { after: "^\\d{1,3}\\$ ?= ?([^\\s/][^\\s]{5,96})" },
}; // prettier-ignore

export const deviceAnchors: readonly string[] = Object.keys(forms);

/** Finds what a line of a device's settings gives as a key, a community or a password. */
export function scanDeviceLine(scan: Scan, hit: Hit): void {
  const { text } = scan;
  const form = forms[text.slice(hit.start, hit.end).toLowerCase()];
  spend(scan, 24);
  if (form === undefined || !startsWord(text, hit.start)) return;
  // A line end that is written as an escape ends the line too.
  const window = text.slice(hit.end, hit.end + afterCharsMax).replaceAll("\\n", " \n");
  const lines = form.isBlock === true ? window : window.slice(0, window.search(/[\r\n]|$/));
  const found = new RegExp(form.after, "di").exec(lines);
  if (found === null) return;
  spend(scan, found[0].length);
  const before = text.slice(Math.max(0, hit.start - beforeCharsMax), hit.start);
  if (form.before?.().test(before) === false || inCode(before)) return;
  for (const place of found.indices?.slice(1) ?? []) {
    if (place !== undefined) notePart({ scan, hit }, form, place);
  }
}

function notePart(
  { scan, hit }: { readonly scan: Scan; readonly hit: Hit },
  { isSure = false }: Form,
  [from, to]: readonly [number, number],
): void {
  const written = scan.text.slice(hit.end + from, hit.end + to);
  let at = 0;
  for (const value of written.startsWith("!") ? written.split("!") : [written]) {
    const start = hit.end + from + written.indexOf(value, at);
    at += value.length;
    if (isSure ? !isGiven(value) || isWord(value) : !isStrongWord(value)) continue;
    noteNamed(scan, { start, end: start + value.length, kind: hit.rule.kind, ruleId: hit.rule.id, rank: 1, canonical: value }); // prettier-ignore
  }
}

/** What the grammar has at the place instead of a secret, and the word that a sentence has there. */
function isWord(value: string): boolean {
  if (/^[A-Za-z]?[a-z]{2,}[,.:]?$/.test(value)) return !looksRandom(value);
  return /^(?:\d{1,3}|encrypted|cipher|simple|local|remote|auth|noauth|priv|key|address|hexadecimal|ascii|chain|name|peer|length|type|version|public|private|is|the|for|and|or|of|to|in|must|with|not|from)$/i.test(value); // prettier-ignore
}

/** No part of a longer name: `ip ospf authentication-key`, and `wpa2-pre-shared-key` too. */
function startsWord(text: string, at: number): boolean {
  if (text[at] === " " || text[at] === "$") return true;
  const before = text[at - 1] ?? "\n";
  return !/[A-Z_.]/i.test(before) || /\\[nrt]$/.test(text.slice(Math.max(0, at - 2), at));
}

/** An expression, a comment or a sentence before it. */
function inCode(before: string): boolean {
  const line = before.slice(before.lastIndexOf("\n") + 1);
  return /[({;=]\s*$|[,.;:] |\b(?:the|a|an|your|this|of|with|by|using)\s*$/i.test(line);
}
