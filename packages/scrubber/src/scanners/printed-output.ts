import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";
import { readSecretName } from "../secret-name.ts";
import { isBase64Key } from "../strength.ts";
import { findPiped, printedLine } from "./command-pipe.ts";
import { isPrinted, isStrongWord } from "./command-value.ts";
import { partOf } from "./command-words.ts";

const lineCharsMax = 320;
/** A shell's prompt and the command after it, or a command that begins its line. */
const shell = (): RegExp =>
  /^(?:[^\n]{0,80}?[$#%>❯➜»] {1,2})?(?:sudo (?:-\w+ ){0,2})?(?:[A-Z_]{2,24}=\S{0,40} ){0,3}(?:[\w./-]{0,40}\/)?(?:python[\d.]*|node|deno|bun|ruby|php|perl|go|openssl|head|tr|dd|cat|echo|printf|printenv|less|more|type|kubectl|oc|docker|podman|nerdctl|base64|jq|yq|gpg|date|xxd|od|ssh|bash|sh|get-content|strings|pwsh|powershell|Rscript|java|apg|pwgen|makepasswd)\b/i;
const secretWords = (): RegExp => /secret|passw|token|[-_.]key|cred/i;
/** Files that hold a secret and nothing else, by their names. */
const secretFile = (): RegExp =>
  /(?:^|[\s/'"~])(?:[\w.@-]{0,48}(?:secret|passw(?:or)?d|passphrase|token|api[_-]?key|credentials?|private[_-]?key|\.pass|\.erlang\.cookie)s?(?:[\w-]{0,24})(?:\.(?:txt|key|secret|env\.\w+))?|run\/secrets\/[\w.-]{1,64}|secrets\/[\w./-]{1,64})['"]?\s*$/i;

/** Finds what a command printed that makes a secret, reads one from a file or shows a variable's. */
export function scanPrintedOutput(scan: Scan, hit: Hit): void {
  const { text } = scan;
  const lineStart = startOfLine(text, hit.start);
  const line = lineFrom(text, lineStart);
  spend(scan, line.length + 1);
  if (!shell().test(line) || !isAsked(line, text.slice(hit.start, hit.end).toLowerCase())) return;
  if (/^(?:pwgen|apg)/i.test(text.slice(hit.start, hit.end))) return noteColumns(scan, hit, lineStart + line.length); // prettier-ignore
  noteEncoded(scan, hit, line);
  const span = printedLine(scan, hit.end);
  if (span === undefined || !(isPrinted(span.value) || isBase64Key(span.value))) return;
  const { kind, id } = hit.rule;
  noteNamed(scan, { ...span, kind, ruleId: id, canonical: span.value });
}

/** What `echo` gives to be encoded or decoded, in a line that says that it is a secret. */
function noteEncoded(scan: Scan, hit: Hit, line: string): void {
  const sign = scan.text.slice(hit.start, hit.end);
  if (!sign.startsWith("base64 ") || !secretWords().test(line)) return;
  for (const word of findPiped(scan, hit.start)) {
    const { start, end, value } = partOf(word, 0);
    const isCoded =
      /^[\w+/-]{12,}={0,2}$/.test(value) && (value.endsWith("=") || isStrongWord(value));
    if (isCoded) noteNamed(scan, { start, end, kind: hit.rule.kind, ruleId: hit.rule.id, canonical: value }); // prettier-ignore
  }
}

const rowsMax = 24;

/** Rows of drawn words of one length, as generators of passwords print them. */
function noteColumns(scan: Scan, { rule }: Hit, from: number): void {
  let at = from;
  let chars = 0;
  for (let row = 0; row < rowsMax; row++) {
    const lead = /^(?:\r?\n|\\+n)/.exec(scan.text.slice(at, at + 8))?.[0].length ?? 0;
    const line = lineFrom(scan.text, at + lead);
    spend(scan, line.length + 1);
    const words = line.trim().split(/ {1,4}/);
    chars ||= words[0]?.length ?? 0;
    if (lead === 0 || chars < 6 || words.some((word) => word.length !== chars)) return;
    if (words.filter((word) => isPrinted(word)).length * 2 < words.length) return;
    for (const word of words) {
      const start = scan.text.indexOf(word, at + lead);
      noteNamed(scan, { start, end: start + word.length, kind: rule.kind, ruleId: rule.id, canonical: word }); // prettier-ignore
    }
    at += lead + line.length;
  }
}

/** Whether the command prints a secret: it makes one, or a name in it promises one. */
function isAsked(line: string, sign: string): boolean {
  if (sign.startsWith("cat ")) return secretFile().test(line.replace(/\s*[|;&].*$/, ""));
  if (sign.startsWith("base64 ")) return secretWords().test(line);
  if (!sign.startsWith("echo ") && !sign.startsWith("printenv ")) return true;
  const name = /(?:echo (?:-\w )?\\{0,7}["']?\$\{?|printenv )([A-Za-z_]\w{1,63})\}?\\{0,7}["']?\s*(?:\|\s?(?:base64|xxd|rev|tr|od|cat|sha\w*|md5\w*)\b[^|]{0,24})?$/.exec(line)?.[1]; // prettier-ignore
  return name !== undefined && readSecretName(name) !== undefined;
}

function startOfLine(text: string, at: number): number {
  const window = text.slice(Math.max(0, at - lineCharsMax), at);
  const raw = window.lastIndexOf("\n") + 1;
  const written = /^.*\\n/s.exec(window)?.[0].length ?? 0;
  const quoted = /^.*[:[,]\s?\\*"/s.exec(window)?.[0].length ?? 0;
  const start = Math.max(raw, written);
  return at - window.length + (start > 0 ? start : quoted);
}

function lineFrom(text: string, start: number): string {
  const window = text.slice(start, start + lineCharsMax);
  const end = window.search(/[\r\n]|\\+n(?=\S)|\\*"\s?[,}\]]/);
  return end < 0 ? window : window.slice(0, end);
}
