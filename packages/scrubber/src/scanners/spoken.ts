import { charClasses, isAt } from "../chars.ts";
import { endsEscape } from "../escapes.ts";
import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";
import { isUnmistakable } from "../strength.ts";
import { tiedRuns } from "./ideographic-ties.ts";
import { noteHeadColumn } from "./head-column.ts";
import { answerAfter, bracketedValue, isQuestion, laterValue } from "./spoken-answer.ts";
import { directPair, isPairNoun, onePair, listedPairs, pairValue } from "./spoken-pair.ts";
import { type Found, type Lead, mayHoldValue, tiedValues } from "./spoken-sentence.ts";
import { isChangeWord, isDeterminer } from "./spoken-words.ts";

const sentenceCharsMax = 160;

/** Every word with which a sentence can go on to its value. */
const followers: ReadonlySet<string> = new Set([
  "is", "was", "are", "were", "be", "become", "becomes", "remain", "remains", "reads", "ist", "war",
  "lautet", "lautete", "wird", "wurde", "est", "sera", "es", "era", "for", "of", "to", "on", "in",
  "at", "from", "with", "used", "we", "you", "i", "that", "which", "by", "zum", "zur", "des", "der",
  "vom", "von", "auf", "pour", "du", "de", "para", "del", "da", "do", "per", "voor", "van", "using",
  "as", "f", "par", "sind", "sont", "son", "has", "have", "will", "changed", "reset", "rotated",
  "updated", "set", "foi", "luidt", "wordt", "naar", "di",
]); // prettier-ignore

/** Length of the longest of them. */
const followerCharsMax = 7;

/** Finds the value in a sentence about a password or a token, some words after it. */
export function scanSpoken(scan: Scan, hit: Hit): void {
  const end = endOfNoun(scan.text, hit);
  if (isInName(scan.text, hit.start) && !isSetAnew(scan.text, hit)) return;
  noteAnswer(scan, hit, end);
  if (isCodeAt(scan.text, end)) return;
  if (!isNoun(scan, hit.start, end)) return;
  noteSentence(scan, hit, { start: hit.start, end });
}

/** Notes what the next line answers to a question about a secret. */
function noteAnswer(scan: Scan, hit: Hit, end: number): void {
  const { text } = scan;
  if (!" ?s".includes(text[end] ?? "x")) return;
  const window = text.slice(end, end + sentenceCharsMax);
  const asked = window.indexOf("?");
  if (asked < 0) return;
  const mark = window.search(/\n|\r|\\+[nr]/);
  if (mark < asked) return;
  spend(scan, mark);
  if (!isQuestion(before(scan, hit.start), window.slice(0, mark))) return;
  const noun = text.slice(hit.start, end).toLowerCase();
  const found = answerAfter(scan, end + mark, noun.includes("pass") || noun.includes("pw"));
  if (found !== undefined) noteFound(scan, hit, 0, [found]);
}

/** Notes what the sentence that goes on after a noun, or a list under it, holds. */
export function noteSentence(scan: Scan, hit: Hit, { start, end }: Place): void {
  const noun = scan.text.slice(start, end);
  const window = sentenceAfter(scan, end);
  const isPair = isPairNoun(noun);
  if (/^(?:user|account)$/i.test(noun)) return noteFound(scan, hit, end, onePair(window));
  if (isPair && opensList(window)) noteFound(scan, hit, end + window.length, listedPairs(scan, end + window.length, /[/|:]/.test(noun))); // prettier-ignore
  if (isPair) noteHeadColumn(scan, hit, { start, end }, (cell) => pairValue(`: ${cell.trim()}`).map((found) => ({ ...found, start: found.start - 2 + cell.search(/\S/) }))); // prettier-ignore
  if (window === "") return;
  if (isIdeographic(window)) {
    const runs = tiedRuns(window).filter(({ value }) => isPair || isUnmistakable(value));
    return noteFound(scan, hit, end, runs);
  }
  if (!mayHoldValue(window)) return;
  noteFound(
    scan,
    hit,
    end,
    isPair ? pairsIn(scan, { start, end }, window) : saidOf(scan, start, window),
  );
}

/** What is said of the noun: tied by a verb, in brackets, or later in the sentence. */
function saidOf(scan: Scan, start: number, window: string): readonly Found[] {
  const tied = tiedValues(window, leadOf(scan, start));
  return tied.length > 0 ? tied : [...bracketedValue(window), ...laterValue(window)];
}

interface Place {
  readonly start: number;
  readonly end: number;
}

function noteFound(scan: Scan, { rule }: Hit, from: number, found: readonly Found[]): void {
  for (const { start, value } of found) {
    const at = from + start;
    const end = at + value.length;
    noteNamed(scan, { start: at, end, kind: rule.kind, ruleId: rule.id, canonical: value });
  }
}

/** From here on are the scripts that write no blanks. */
const ideographsFrom = 0x30_00;

function isIdeographic(window: string): boolean {
  return window.charCodeAt(window.startsWith(" ") ? 1 : 0) >= ideographsFrom;
}

function pairsIn(scan: Scan, { start, end }: Place, window: string): readonly Found[] {
  const noun = scan.text.slice(start, end);
  if (noun.toLowerCase() === "use") return directPair(window);
  const found = pairValue(window);
  if (found.length > 0) return found;
  const isGiven = /^cred/i.test(noun) || (/^login/i.test(noun) && givenLogins().test(before(scan, start))); // prettier-ignore
  return isGiven ? directPair(window) : [];
}

/** Words before a login that one is told of. */
const givenLogins = (): RegExp =>
  /\b(?:default|test|debug|demo|initial|factory|dev|local|temp|temporary|guest|admin|root|ssh|standard|current|new) $/i;

/** A line that ends in a colon, or in the names of two columns. */
function opensList(window: string): boolean {
  return /^[^:]{0,48}:[*_]{0,2}\s*$|^\)?\s*$/.test(window);
}

function isInName(text: string, start: number): boolean {
  return isAt(text, start - 1, charClasses.name) && !endsEscape(text, start);
}

/** `set DB_PASSWORD to …`: the name of a setting in a sentence about a change. */
function isSetAnew(text: string, { start, end }: Hit): boolean {
  if (text[start - 1] !== "_" || !text.startsWith(" to ", end)) return false;
  return /\b(?:set|change|update|rotate|reset)[a-z]{0,3} [A-Z_\d`"']{0,48}$/i.test(text.slice(Math.max(0, start - 64), start)); // prettier-ignore
}

/** Whether a place in code follows: what a sentence goes on with is a blank or one of few marks. */
function isCodeAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code === 32)
    return (text.charCodeAt(at + 1) | 32) < 97 && !":/(\"'`-=".includes(text[at + 1] ?? "x");
  return code < 128 && !" s*:\"'`_,\\)\n\r".includes(text[at] as string);
}

/** End of the noun or verb: of an anchor that ends in a user's name, that of its first word. */
function endOfNoun(text: string, { start, end }: Hit): number {
  const word = /^(?:use|user|account)(?= |:)/i.exec(text.slice(start, start + 8));
  return word === null || /^user ?[/:|] ?pass|^accounts/i.test(text.slice(start, end)) ? end : start + word[0].length; // prettier-ignore
}

/** A word of a sentence: it is no part of a name or a path, and what follows may tie. */
function isNoun({ text }: Scan, start: number, end: number): boolean {
  if (!mayTie(text, start, end)) return false;
  return !"/\\$&?".includes(text[start - 1] ?? " ") || endsEscape(text, start);
}

/** The quickest question, for code is full of these words: a mark, or a word that can follow. */
function mayTie(text: string, start: number, end: number): boolean {
  const at = afterMarks(text, end);
  if (text.charCodeAt(at) >= ideographsFrom) return true;
  switch (text[at]) {
    case ",":
      return text[at + 1] === " ";
    case "s":
      return "'’".includes(text[at - 1] ?? "x");
    case " ":
      return mayFollow(text, at + 1) || isPairNoun(text.slice(start, end));
    case ":":
      return isDetermined(text, start) || isPairNoun(text.slice(start, end));
    default:
      return isPairNoun(text.slice(start, end));
  }
}

/** Passes the ending of several, and the marks that close a noun. */
function afterMarks(text: string, end: number): number {
  let at = text[end] === "s" ? end + 1 : end;
  while (at - end < 4 && "*_`\"'".includes(text[at] ?? "x")) at++;
  return at;
}

/** Whether a sentence can go on so. Beyond ASCII are arrows, dashes and accents. */
function mayFollow(text: string, start: number): boolean {
  if (text.charCodeAt(start) > 127 || ":/-=".includes(text[start] ?? "x")) return true;
  let end = start;
  while (end - start < followerCharsMax && isAt(text, end, charClasses.letter)) end++;
  return (
    !isAt(text, end, charClasses.letter) && followers.has(text.slice(start, end).toLowerCase())
  );
}

function sentenceAfter(scan: Scan, from: number): string {
  const window = scan.text.slice(from, from + sentenceCharsMax);
  const end = window.search(/\n|\r|\\+[nrt]|[;<{}](?! the new)|[.?] |! (?=[A-Z])|&(?:lt|quot);/);
  spend(scan, 24);
  return end < 0 ? window : window.slice(0, end + (window[end] === "!" ? 1 : 0));
}

function leadOf(scan: Scan, start: number): Lead {
  const words = before(scan, start)
    .toLowerCase()
    .split(/[^\p{L}']+/u);
  return {
    isChange: words.some((word) => isChangeWord(word)),
    isDetermined: isDetermined(scan.text, start),
  };
}

/** Whether the word before a noun says that it is one. */
function isDetermined(text: string, start: number): boolean {
  const window = text.slice(Math.max(0, start - 16), start).trimEnd();
  if (!mayEndDeterminer(window)) return false;
  const word = window.slice(Math.max(window.lastIndexOf(" "), window.lastIndexOf("\n")) + 1);
  return isDeterminer(
    word
      .toLowerCase()
      .replaceAll(/[*_"’]/g, "")
      .replace(/^\\+n/, ""),
  );
}

/** A letter, or a mark that is passed: code mostly has a comma or a bracket there. */
function mayEndDeterminer(window: string): boolean {
  const last = window.length - 1;
  return (
    isAt(window, last, charClasses.letter) ||
    window.charCodeAt(last) > 127 ||
    '*_"'.includes(window.charAt(last))
  );
}

function before({ text }: Scan, start: number): string {
  const window = text.slice(Math.max(0, start - 64), start);
  return window.slice(Math.max(window.lastIndexOf("\n"), window.lastIndexOf(". ")) + 1);
}
