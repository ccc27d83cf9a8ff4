import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";
import { quoteAt } from "../value.ts";
import { isStrongWord } from "./command-value.ts";
import { partOf, readWord, type Word } from "./command-words.ts";
import { skipGap } from "./separator.ts";

const beforeCharsMax = 240;
const afterCharsMax = 96;

/** A flag that says who logs in, with its value, as nearly every client has it. */
const user = (): RegExp =>
  /(?:^|[ \t,[(])["']?(?:-[uUl]|--?(?:user(?:name)?|login|account|usr|uid))["']?(?:[= \t]|, ?)["']?[A-Za-z][^\s;|&]{0,96}(?=\s|$|["'])/;
/** A command under another's account, which is given no password by these flags. */
const other = (): RegExp => /(?:^|[\s;|&(])(?:sudo|doas|runuser|su|ssh|ps|pgrep|pkill|id|docker|podman|chown|xargs|crontab)(?: -[A-Za-z]+)* -[uUl] ?\S+ [^|;&]*$/; // prettier-ignore
/** Clients to which `-w` says that no password is to be asked for. */
const unasked = (): RegExp =>
  /\b(?:psql|pg_\w+|createdb|dropdb|createuser|vacuumdb|reindexdb|grep)\b/;

/**
 * Finds what follows `-p`, `-P`, `-w`, `-pw` or `-pass` where a user's name stands beside it
 * (`tool -u bob -p X`): clients that no table lists take accounts so.
 */
export function scanAccountFlags(scan: Scan, hit: Hit): void {
  const { text } = scan;
  const word = wordAfter(scan, hit);
  if (word === undefined || word.text.length < 6) return;
  const { value, start, end } = partOf(word, 0);
  if (!isStrongWord(value) || isInnocentHere(value)) return;
  const before = lineBefore(text.slice(Math.max(0, hit.start - beforeCharsMax), hit.start));
  spend(scan, 64);
  if (text.startsWith("w", hit.end - 2) && unasked().test(before)) return;
  if (other().test(before) && !user().test(afterOther(before))) return;
  if (!user().test(before) && !user().test(lineAfter(text, word.end))) return;
  noteNamed(scan, { start, end, kind: hit.rule.kind, ruleId: hit.rule.id, canonical: value });
}

/** The word after the flag; in a list of strings the next string. */
function wordAfter(scan: Scan, { start, end }: Hit): Word | undefined {
  const { text } = scan;
  if (text[end - 1] === " ") return readWord(scan, skipGap(text, end));
  const joint = /^\\{0,7}["'](?:\s|\\+n){0,2},(?:\s|\\+n){0,24}/.exec(text.slice(end, end + 48));
  if (joint === null || quoteAt(text, start) === undefined) return undefined;
  const at = end + joint[0].length;
  return quoteAt(text, at) === undefined ? undefined : readWord(scan, at);
}

function lineBefore(window: string): string {
  return window.slice(Math.max(window.lastIndexOf("\n"), window.search(/\\n[^\n]*$/), -1) + 1);
}

function afterOther(before: string): string {
  return before.replace(/^.*(?:sudo|doas|runuser|su) -[uUl] ?\S+/, "");
}

function lineAfter(text: string, end: number): string {
  const window = text.slice(end, end + afterCharsMax);
  return window.slice(0, window.search(/[\r\n;|&]|\\n|$/));
}

/** Addresses and names of files stand after such flags too. */
function isInnocentHere(value: string): boolean {
  return /^[\w.-]*:\d|^[\w./-]+\.\w{1,5}$|[\\/]\w+[\\/]|^[\w.-]+:[\w./-]+$/.test(value);
}
