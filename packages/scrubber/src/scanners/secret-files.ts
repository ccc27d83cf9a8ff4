import { nextLineStart } from "../line-lead.ts";
import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";
import { isGiven, isStrongWord } from "./command-value.ts";

const lineCharsMax = 224;
const linesMax = 24;

/** `client server "secret" address`, as `pppd` reads it. */
const pppRow = (): RegExp =>
  /^(?:\\{0,7}"[^"\\]{0,64}\\{0,7}"|[^\s"#]{1,64})[ \t]+(?:\\{0,7}"[^"\\]{0,64}\\{0,7}"|[^\s"]{1,64})[ \t]+\\{0,7}["']?([^\s"'\\]{3,96})(?=["'\\]|[ \t]|$)/;
/** `alice : EAP "secret"`, as strongSwan and Libreswan read it. */
const ipsecRow = (): RegExp =>
  /^ {0,4}(?:[\w.@"'*#-]{1,96} )?\\{0,7}["']([^"'\\]{4,128})\\{0,7}["']|^ {0,4}(0[sx][\w+/=]{6,512})/;

/** Finds the secrets of files that have a row for each, and neither names nor signs. */
export function scanSecretFile(scan: Scan, hit: Hit): void {
  const anchor = scan.text.slice(hit.start, hit.end).toLowerCase();
  if (anchor.startsWith(":")) noteIpsec(scan, hit);
  else if (anchor.endsWith("-user-pass")) noteLogin(scan, hit);
  else notePpp(scan, hit);
}

/** What a table of another tool, and the line of heads, has in the third column. */
const heads = (): RegExp => /^(?:secrets?|IP|addresses)$/i;

function notePpp(scan: Scan, hit: Hit): void {
  let at = nextLineStart(scan, endOfLine(scan.text, hit.end));
  for (let count = 0; count < linesMax && at >= 0; count++) {
    const line = lineAt(scan, at);
    if (line !== "" && !/^(?:#|client\b|\/)/.test(line)) {
      const row = pppRow().exec(line);
      if (row === null) return;
      const value = row[1] as string;
      const start = at + row[0].length - value.length;
      if (isGiven(value) && !heads().test(value)) note(scan, hit, start, value);
    }
    at = nextLineStart(scan, endOfLine(scan.text, at));
  }
}

function noteIpsec(scan: Scan, hit: Hit): void {
  const { text } = scan;
  const before = text[hit.start - 1] ?? "\n";
  const found = /[\s"'\w%*]/.test(before) ? ipsecRow().exec(lineAt(scan, hit.end)) : null;
  const value = found?.[1] ?? found?.[2] ?? "";
  if (found === null || !isGiven(value) || !/^:\s?[A-Z\d]+\s$/.test(text.slice(hit.start, hit.end)))
    return;
  note(scan, hit, hit.end + found[0].lastIndexOf(value), value);
}

/** The user and the password that a client of OpenVPN reads from two lines. */
function noteLogin(scan: Scan, hit: Hit): void {
  const { text } = scan;
  const user = nextLineStart(scan, endOfLine(text, hit.end));
  if (user < 0 || !/^[\w.@+-]{2,64}$/.test(lineAt(scan, user))) return;
  const at = nextLineStart(scan, user + lineAt(scan, user).length);
  const value = at < 0 ? "" : lineAt(scan, at).trimEnd();
  const isInline = text[hit.start - 1] === "<";
  if (/\s/.test(value) || !(isInline ? isGiven(value) : isStrongWord(value))) return;
  note(scan, hit, at, value);
}

/** The rest of the line, up to its end as it is or as an escape. */
function lineAt(scan: Scan, at: number): string {
  const window = scan.text.slice(at, at + lineCharsMax);
  const line = window.slice(0, window.search(/[\r\n]|\\+[nr](?![A-Za-z]{2}\\)|$/));
  spend(scan, line.length + 1);
  return line;
}

function endOfLine(text: string, at: number): number {
  return at + text.slice(at, at + lineCharsMax).search(/[\r\n]|\\+[nr]|$/);
}

function note(scan: Scan, { rule }: Hit, start: number, value: string): void {
  const end = start + value.length;
  noteNamed(scan, { start, end, kind: rule.kind, ruleId: rule.id, rank: 1, canonical: value });
}
