import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";
import { isGiven, isStrongWord } from "./command-value.ts";
import { partOf, readWord, type Word } from "./command-words.ts";
import { skipGap } from "./separator.ts";

/** A prompt of the client, or the client itself; `AUTH` is a word of much else. */
const prompt = (): RegExp =>
  /(?:redis(?:-cli)?|valkey|(?:[\w.-]+|\[[\da-f:]+\]):\d{2,5}(?:\[\d+\])?)(?:\(TX\))?$/i;
/** Begins a line of a protocol, or what a trace shows of one. */
const lineStart = (): RegExp =>
  /(?:^|[\r\n"']|\\[nr]|[\d\]] |[CS>]: ?|[-=]+> ?|[<>] ?|AUTHINFO |quote |HELLO 3 )$/;

/** Finds the password after `AUTH` at a prompt, and in settings of servers and clients. */
export function scanRedisAuth(scan: Scan, hit: Hit): void {
  const { text } = scan;
  spend(scan, 32);
  if (
    text[hit.start] === ">" &&
    !prompt().test(text.slice(Math.max(0, hit.start - 64), hit.start))
  ) {
    return;
  }
  const first = readWord(scan, skipGap(text, hit.end));
  if (first === undefined) return;
  const second = text[hit.start] === ">" ? readSecond(scan, first) : undefined;
  const word = second ?? first;
  const value = partOf(word, 0);
  if (!isGiven(value.value)) return;
  noteNamed(scan, {
    start: value.start,
    end: value.end,
    kind: hit.rule.kind,
    ruleId: hit.rule.id,
    rank: 1,
    canonical: value.value,
  });
}

/** With a user before it, the password is the second word. */
function readSecond(scan: Scan, first: Word): Word | undefined {
  const at = skipGap(scan.text, first.end);
  return at === first.end ? undefined : readWord(scan, at);
}

/** What each command is followed by; the secret is the last group. */
const commands = (): Readonly<Record<string, RegExp>> => ({
  "auth ":
    /^(?:(?:PLAIN|LOGIN|XOAUTH2|CRAM-MD5|EXTERNAL)(?: [\w+/=]{4,64}(?= [\w+/]))? ([\w+/]{8,512}={0,2})|(?:[\w.@-]{1,32} )?([!-~]{6,128}?))(?=[\r\n"']|\\+[rn"]|$)/,
  'auth"': /^ (?:"[^"\s]{1,32}" )?"([!-~]{4,128}?)"(?=\s|$)/,
  "pass ": /^([!-~]{4,128}?)(?=\s*(?:[\r\n"']|\\+[rn"]|$))/,
  " login ": /^(?:"[^"\s]{1,64}"|[\w.@+-]{1,64}) "?([!-~]{4,128}?)(?="?\s*(?:[\r\n]|\\+[rn"]|$))/,
  ugfzc3dvcmq6:
    /^(?:\r?\n|\\+r\\+n|\\+n|["'][^\n]{0,48}\n[^\n"']{0,48}["'])(?:C: ?|> ?)?([\w+/]{6,128}={0,2})(?=\s|\\|["']|$)/,
});

/** The same in the protocol of Redis, where the length stands before each word. */
const counted = (): RegExp =>
  /^\d{1,3}(?:\r\n|\\+r\\+n)(?:[^\s$\\]{1,64}(?:\r\n|\\+r\\+n)\$\d{1,3}(?:\r\n|\\+r\\+n))?([!-~]{4,128}?)(?=[\r\n]|\\)/;

/** Finds what a client sends to log in: `AUTH PLAIN X`, `PASS X`, `a1 LOGIN user X`, in traces of mail, files and Redis. */
export function scanLogin(scan: Scan, hit: Hit): void {
  const { text } = scan;
  if (endsInBlanks(text, hit.end)) return;
  const written = text.slice(hit.start, hit.end);
  spend(scan, 16);
  if (!isCommand(text, hit.start, written)) return;
  const { all, value } = sentAfter(text, hit.end, written);
  if (value === "") return;
  const isSure = isSureOf(all, written) || isAmongCommands(text, hit, value);
  if (!isSent(value, isSure)) return;
  spend(scan, all.length);
  const start = hit.end + all.lastIndexOf(value);
  const { kind, id } = hit.rule;
  noteNamed(scan, {
    start,
    end: start + value.length,
    kind,
    ruleId: id,
    rank: 1,
    canonical: value,
  });
}

/** Neither a password nor a user begins with a blank: names of tests come after two. */
function endsInBlanks(text: string, at: number): boolean {
  return text.charCodeAt(at) === 32 && text.charCodeAt(at - 1) === 32;
}

interface Sent {
  /** What was sent with the command, and the password in it; empty where there is none. */
  readonly all: string;
  readonly value: string;
}

function sentAfter(text: string, at: number, written: string): Sent {
  const form = written.endsWith("$") ? counted() : commands()[written.toLowerCase()];
  const [all = "", coded, bare] = form?.exec(text.slice(at, at + 224)) ?? [];
  return { all, value: coded ?? bare ?? "" };
}

function isSureOf(all: string, written: string): boolean {
  return written === asked || /^AUTH[^ ]/.test(written) || /^(?:PLAIN|LOGIN)/.test(all);
}

/** Whether a line beside it is a command of a transfer of files, in capitals. */
function isAmongCommands(text: string, { start, end }: Hit, value: string): boolean {
  if (!/\d/.test(value) || value.includes("/")) return false;
  const around = `${text.slice(Math.max(0, start - 96), start)}${text.slice(end, end + 160)}`;
  return /(?:^|\n|\\n)(?:USER \S+|OPEN \S+|PUT [\w']|GET [\w']|QUIT\b|BYE\b|TYPE [AI]\b|PASV\b|CWD \S|NICK \S+|CAP \w+|STAT\b|LIST\b|MKD \S|STOR \S|RETR \S|SITE \S)/.test(around); // prettier-ignore
}

/** `Password:` in base64, with which a server of mail asks. */
const asked = "UGFzc3dvcmQ6";

/** Whether a command of a protocol stands here, in capitals at the beginning of its line. */
function isCommand(text: string, start: number, written: string): boolean {
  if (written === asked) return true;
  if (!/^ ?[A-Z]{4}/.test(written)) return false;
  const before = text.slice(Math.max(0, start - 12), start);
  return (written === " LOGIN " ? tag() : lineStart()).test(before);
}

/** The tag of a command of IMAP. */
const tag = (): RegExp => /(?:^|[\r\n"']|\\[nr]|[CS>]: ?|> ?)(?:[A-Za-z]{1,4}\d{1,6}|\.)$/;

/** What stands where a password alone can is one unless it is a stand-in; names of tests follow `PASS` too. */
function isSent(value: string, isSure: boolean): boolean {
  return isSure ? isGiven(value) && !/^[A-Z_-]+$/.test(value) : isStrongWord(value);
}
