import { charClasses, isAt } from "../chars.ts";
import { isWordPhrase } from "../checks/word-phrase.ts";
import { endsEscape } from "../escapes.ts";
import { endsLine, nextLineStart } from "../line-lead.ts";
import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";
import { isBase64Key, isUnmistakable, isUuid } from "../strength.ts";
import { isStrongWord } from "./command-value.ts";

const labelCharsMax = 200;
const valueCharsMax = 256;

/** Words with which what a program prints goes on after the noun. */
const goesOn = (): RegExp =>
  /^s?(?: {2,24}: |["'`*]{0,2} (?:for|of|to|is|was|has|have|in|on|from|created|generated|set|reset|changed|updated|copied|issued|successfully|below|here|again|twice|value|that|you|which|will|and|number|\d{1,2}\b|\(|\[)| ?[([]| #?\d{1,2}[ :]|[.,:] |[?›»]| [›»❯])/i;
/** Subjects that are named like a secret and are none. */
const others = (): RegExp =>
  /\b(?:hash(?:es|ed)?|digest|fingerprint|checksum|sha-?\d{1,3}|md5|commit|ids?|identifier|accessor|endpoint|ur[li]|path|file|dir(?:ectory)?|type|names?|length|sizes?|version|limit|count|counts|expir\w*|ttl|invalid|errors?|failed|fail|failure|missing|not|unknown|public|algorithm|policy|prefix|regex|pattern|format|schema|column|field|line|bucket|budget|usage|used|cost|per|scopes?|audience|issuer|subject|thumbprint|serial|port|host|server|address|region|status|code|request|response|duration|rotation|lifetime)\b/i;
/** What a reader is told who sees a secret once. */
const kept = (): RegExp =>
  /\b(?:below|copy|store|save|keep|once|(?:be|see it) (?:shown )?again)\b/i;
/** What no label has, and code does. */
const codeMarks = (): RegExp => /[;{}|&$\\]|=>|->|\w\(|\)\.|==|::/;

/** Finds what was typed at a prompt, or what a program says is a password, on its line or the next. */
export function scanPrompt(scan: Scan, hit: Hit): void {
  const { text } = scan;
  if (isAt(text, hit.start - 1, charClasses.name) && !endsEscape(text, hit.start)) return;
  if (!goesOn().test(text.slice(hit.end, hit.end + 24)) && !isListed(text, hit)) return;
  if (notePhrase(scan, hit)) return;
  const label = labelAfter(scan, hit.end) ?? enteredLine(scan, hit);
  if (label === undefined || !isLabel(label)) return;
  const value = label.isOpen ? nextLine(scan, label.end) : valueAt(text, label.end);
  if (value === undefined) return;
  const isPassword = /^(?:pass|key c)/i.test(text.slice(hit.start, hit.end));
  if (!isPrintedSecret(value.text, isPassword)) return;
  const { kind, id } = hit.rule;
  const end = value.start + value.text.length;
  noteNamed(scan, { start: value.start, end, kind, ruleId: id, canonical: value.text });
}

/** Notes the words of a pass-phrase that were typed at a prompt. */
function notePhrase(scan: Scan, { start, end, rule }: Hit): boolean {
  if (!/^pass/i.test(scan.text.slice(start, start + 4))) return false;
  const typed = /^(?: [^\n\r:]{1,80})?: ([a-z]{3,9}(?: [a-z]{3,9}){3,9})(?=\s{0,4}(?:\r|\n|\\+[nr]|$))/.exec(scan.text.slice(end, end + 168)); // prettier-ignore
  const phrase = typed?.[1];
  if (typed === null || phrase === undefined || !isWordPhrase(phrase, true)) return false;
  const at = end + typed[0].length - phrase.length;
  noteNamed(scan, { start: at, end: at + phrase.length, kind: rule.kind, ruleId: rule.id, canonical: phrase }); // prettier-ignore
  return true;
}

/** `PASSWORD elastic = X`, as Elasticsearch lists the users that it made. */
function isListed(text: string, { start, end }: Hit): boolean {
  if (text.slice(start, end) !== "PASSWORD") return false;
  return /^ [a-z_]{2,32} = \w{12,}/.test(text.slice(end, end + 56));
}

interface Label {
  readonly text: string;
  /** Where the value begins, or the line ends. */
  readonly end: number;
  /** The line ends in a colon. */
  readonly isOpen: boolean;
  /** The mark is one of a question, and none of a setting. */
  readonly isAsked: boolean;
}

/** The rest of a line up to its last mark, where no more than one word follows. */
function labelAfter(scan: Scan, from: number): Label | undefined {
  const window = scan.text.slice(from, from + labelCharsMax);
  const stop = window.search(/[\r\n]|\\+[nr](?![a-z]{2})|"\s{0,2}[,}\]]|"$/);
  const line = (stop < 0 ? window : window.slice(0, stop)).trimEnd();
  spend(scan, line.length + 1);
  if (/[:：]$/.test(line)) {
    return { text: line.slice(0, -1), end: from + line.length, isOpen: true, isAsked: false };
  }
  if (/[.!]$/.test(line) && kept().test(line)) {
    return { text: line, end: from + line.length, isOpen: true, isAsked: false };
  }
  const blank = line.lastIndexOf(" ");
  const mark = /(?:[:：?›»❯\])]|: …|(?<= )=) {0,7}$/.exec(line.slice(Math.max(0, blank - 8), blank + 1)); // prettier-ignore
  if (blank < 0 || mark === null) return undefined;
  const end = blank + 1;
  const said = line.slice(0, end - mark[0].length);
  // A bracket is the end of a label only where the noun stands right before it.
  if (/^[\])]/.test(mark[0]) && !/^\s?[[(][^[\]()]{0,32}$/.test(said)) return undefined;
  return { text: said, end: from + end, isOpen: false, isAsked: /^[?›»❯]/.test(mark[0]) };
}

/** A line that tells to enter the secret and has no mark at its end: it is typed on the next. */
function enteredLine(scan: Scan, { start, end }: Hit): Label | undefined {
  const before = scan.text.slice(Math.max(0, start - 48), start);
  if (!/\b(?:Enter|Type|Choose)(?: in)? (?:the|your|a|an) (?:[a-z]+ ){0,2}$/.test(before))
    return undefined;
  const window = scan.text.slice(end, end + labelCharsMax);
  const line = /^[\w ,/'-]{0,120}(?=\r?\n|\\+n)/.exec(window)?.[0];
  spend(scan, 32);
  return line === undefined ? undefined : { text: " ", end: end + line.length, isOpen: true, isAsked: true }; // prettier-ignore
}

/** Words, groups in brackets and names in quotes, but no code and no other subject. */
function isLabel({ text, isAsked }: Label): boolean {
  if (!isAsked && !/\w|^ {2}/.test(text)) return false;
  const bare = text.replaceAll(/\bnot (?:be |able to )(?:shown|displayed|see|view|retriev)\w*|\([^()]{0,80}\)|\[[^[\]]{0,60}\]|\\{0,7}["'`][^"'`\\]{0,80}\\{0,7}["'`]/g, " "); // prettier-ignore
  return !codeMarks().test(bare) && !others().test(bare) && bare.split(" ").length <= 22;
}

interface Value {
  readonly start: number;
  readonly text: string;
}

function valueAt(text: string, start: number): Value | undefined {
  const found = /^[^\s"'`\\<>]{6,256}/.exec(text.slice(start, start + valueCharsMax))?.[0] ?? "";
  return endsLine(text, start + found.length) ? { start, text: found } : undefined;
}

/** The only word of the next line that is not empty. */
function nextLine(scan: Scan, end: number): Value | undefined {
  const start = nextLineStart(scan, end);
  return start < 0 ? undefined : valueAt(scan.text, start);
}

function isPrintedSecret(value: string, isPassword: boolean): boolean {
  if (isBase64Key(value)) return true;
  if (/\w\([^)]*\)/.test(value)) return false;
  if (/^[\w.-]+[:/=]$|^https?:|^[@#/.~$[(*-]|^:[a-z_]+[?!]?$|\]\(/.test(value)) return false;
  if (isUuid(value)) return !isPassword;
  return isUnmistakable(value) || (isPassword && isStrongWord(value));
}
