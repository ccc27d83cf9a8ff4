import { distinctChars } from "../checks/randomness.ts";
import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";

const phraseCharsMax = 320;
const numbersCharsMax = 400;
const keyNumbers = 64;
const wordCounts: ReadonlySet<number> = new Set([12, 15, 18, 21, 24]);
/** Words that no list of seed words holds and few sentences lack. */
const proseWords = (): RegExp =>
  /^(?:the|and|for|are|was|were|not|your|from|have|has|will|must|can|its)$/;

/** Finds the words of a wallet's seed after a name that announces them. */
export function scanSeedPhrase(scan: Scan, hit: Hit): void {
  const { text } = scan;
  const window = text.slice(hit.end, hit.end + phraseCharsMax);
  spend(scan, 48);
  const lead =
    /^(?:[\w"'\\`*]{0,12}(?: is| \([^()\n]{0,64}\))?[\s=:"'\\`>*([]{1,12})(?=[a-z]{3,8}[ ,])/.exec(
      window.slice(0, 112),
    );
  if (lead === null) return noteListedWords(scan, hit);
  const words = /^[a-z]{3,8}(?:,? [a-z]{3,8})*/.exec(window.slice(lead[0].length))?.[0] ?? "";
  spend(scan, words.length);
  const parts = words.split(/,? /);
  if (!wordCounts.has(parts.length) || parts.some((word) => proseWords().test(word))) return;
  if (new Set(parts).size < parts.length / 2) return;
  const start = hit.end + lead[0].length;
  noteNamed(scan, {
    start,
    end: start + words.length,
    kind: hit.rule.kind,
    ruleId: hit.rule.id,
    canonical: parts.join(" "),
    confidence: "high",
  });
}

const listCharsMax = 720;
const itemsMax = 25;
/** What leads from the name to a list: the rest of its line. */
const toList = (): RegExp => /^[^\n\r{}[\];=]{0,96}?(?::|(?=\n|\r|\\+n))/;
const item = (): RegExp =>
  /^(?:[\s|,*-]|\\+[nrt]){1,16}(?:(\d{1,2})[.):]?[ \t]{1,3})?([a-z]{3,8})(?=[\s|,"'`]|\\+["nrt]|$)/;

/** The words one to a line, or numbered. */
function noteListedWords(scan: Scan, hit: Hit): void {
  const window = scan.text.slice(hit.end, hit.end + listCharsMax);
  const lead = toList().exec(window.slice(0, 100));
  if (lead === null) return;
  let at = lead[0].length;
  let start = -1;
  const words: string[] = [];
  while (words.length < itemsMax) {
    const next = item().exec(window.slice(at, at + 48));
    if (next === null || !isNext(next, words.length)) break;
    at += next[0].length;
    if (words.length === 0) start = at - (next[2] as string).length;
    words.push(next[2] as string);
  }
  spend(scan, at);
  if (!wordCounts.has(words.length) || words.some((word) => proseWords().test(word))) return;
  noteNamed(scan, {
    start: hit.end + start,
    end: hit.end + at,
    kind: hit.rule.kind,
    ruleId: hit.rule.id,
    canonical: words.join(" "),
    confidence: "high",
  });
}

/** The number that is next, or a line of its own. */
function isNext([whole, number]: RegExpExecArray, count: number): boolean {
  return number === undefined ? /[\n\r]|\\+n/.test(whole) : Number(number) === count + 1;
}

/** Finds a key pair written as a list of its 64 bytes. */
export function scanKeyNumbers(scan: Scan, hit: Hit): void {
  const { text } = scan;
  spend(scan, 8);
  if (!/^\[\d{1,3},/.test(text.slice(hit.start, hit.start + 5))) return;
  const window = text.slice(hit.start, hit.start + numbersCharsMax);
  const list = /^\[(\d{1,3}(?:,\s?\d{1,3})*)\]/.exec(window)?.[1];
  if (list === undefined) return;
  spend(scan, list.length);
  const bytes = list.split(",").map(Number);
  if (bytes.length !== keyNumbers || bytes.some((byte) => byte > 255)) return;
  const high = bytes.filter((byte) => byte > 127);
  if (high.length < 12 || distinctChars(String.fromCharCode(...bytes), 40) < 40) return;
  const start = hit.start + 1;
  noteNamed(scan, {
    start,
    end: start + list.length,
    kind: hit.rule.kind,
    ruleId: hit.rule.id,
    canonical: bytes.join(","),
    quote: '"',
    confidence: "medium",
  });
}
