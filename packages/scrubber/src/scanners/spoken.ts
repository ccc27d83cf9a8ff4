import { charClasses, isAt } from "../chars.ts";
import { endsEscape } from "../escapes.ts";
import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";
import { isStrongWord } from "./command-value.ts";

const sentenceCharsMax = 128;
const wordsMax = 12;
/** Words that tie what follows to what was spoken of. */
const verbs = (): RegExp =>
  /^(?:is|was|are|were|be|becomes?|remains?|reads|ist|war|lautet|lautete|wird|est|sera|es|era|é|è|→|–|—)$/i;
/** What may stand between such a word and the value. */
const adverbs = (): RegExp =>
  /^(?:now|currently|still|set|changed|reset|updated|rotated|to|just|simply|always|again|temporarily|initially|probably|jetzt|aktuell|derzeit|nun|auf|weiterhin|maintenant|actuellement|désormais|ahora|actualmente|agora|ora|as|follows|follows:|:|is|ist|est|es)$/i;
const plainWord = (): RegExp => /^[("'*_`]{0,3}[\p{L}][\p{L}\d'’./@-]{0,40}[)"'*_`]{0,3}[,:]?$/u;
const changes = (): RegExp => /\b(?:set|sets|setting|chang(?:e|ed|es|ing)|reset(?:ting)?|rotat(?:e|ed|ing)|updat(?:e|ed|ing)|switch(?:ed)?|replaced?|setze|gesetzt|geändert|cambi\w+|chang\w+|remplac\w+)\b/i; // prettier-ignore
/** Words before a noun with a colon after it: `here's the password: …` is said, `password: string` is code. */
const determiners: ReadonlySet<string> = new Set([
  "the", "my", "your", "our", "his", "her", "their", "its", "this", "new", "old", "a", "an",
  "here's", "heres", "das", "dein", "ihr", "mein", "le", "la", "el", "su", "tu", "mi", "root",
  "admin", "api", "access", "wifi", "temporary", "default", "database", "db",
]); // prettier-ignore
const pairNouns = (): RegExp => /^(?:credentials?|creds|logins?|zugangsdaten|identifiants|user(?:name)?[/:]pass(?:word)?|log in|sign in)$/i; // prettier-ignore

/** What may follow the noun itself: the subject is then still the password and not its policy. */
const openers = (): RegExp =>
  /^(?:for|of|to|on|in|at|from|with|used|we|you|i|that|which|by|für|zum|zur|des|der|vom|von|auf|pour|du|de|à|para|del|da|do|per|voor|van)$/i;

/** Every word with which a sentence can go on to its value. */
const followers: ReadonlySet<string> = new Set([
  "is", "was", "are", "were", "be", "become", "becomes", "remain", "remains", "reads", "ist", "war",
  "lautet", "lautete", "wird", "est", "sera", "es", "era", "for", "of", "to", "on", "in", "at",
  "from", "with", "used", "we", "you", "i", "that", "which", "by", "zum", "zur", "des", "der", "vom",
  "von", "auf", "pour", "du", "de", "para", "del", "da", "do", "per", "voor", "van", "using", "as",
  "f", "par", "sind", "sont", "son",
]); // prettier-ignore

/** Length of the longest of them. */
const followerCharsMax = 7;

/** Finds the value in a sentence about a password or a token, some words after it. */
export function scanSpoken(scan: Scan, hit: Hit): void {
  if (isCodeAt(scan.text, hit.end) || isInName(scan.text, hit.start)) return;
  const end = hit.end + accentChars(scan.text, hit.end);
  if (!isNoun(scan, hit.start, end)) return;
  const noun = scan.text.slice(hit.start, hit.end);
  const window = sentenceAfter(scan, end);
  if (window === "") return;
  const found = pairNouns().test(noun) ? pairValue(window) : tiedValues(scan, hit, window);
  const { kind, id } = hit.rule;
  for (const { start, value } of found) {
    const at = end + start;
    noteNamed(scan, { start: at, end: at + value.length, kind, ruleId: id, canonical: value });
  }
}

function isInName(text: string, start: number): boolean {
  return isAt(text, start - 1, charClasses.name) && !endsEscape(text, start);
}

/** Whether a place in code follows: what a sentence goes on with is a blank or one of few marks. */
function isCodeAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code === 32)
    return (text.charCodeAt(at + 1) | 32) < 97 && !":/".includes(text[at + 1] ?? "x");
  return code < 128 && !" s*:\"'`_,\\".includes(text[at] as string);
}

/** Length of the end of `contraseña`: anchors are of ASCII. */
function accentChars(text: string, at: number): number {
  if (text[at] !== "ñ" && text[at] !== "\\") return 0;
  return /^(?:ñ|\\u00f1)as?/.exec(text.slice(at, at + 8))?.[0].length ?? 0;
}

/** A word of a sentence: it is no part of a name or a path, and what follows may tie. */
function isNoun({ text }: Scan, start: number, end: number): boolean {
  if (!mayTie(text, start, end)) return false;
  return !"/\\$&?".includes(text[start - 1] ?? " ") || endsEscape(text, start);
}

/** The quickest question, for code is full of these words: a mark, or a word that can follow. */
function mayTie(text: string, start: number, end: number): boolean {
  let at = text[end] === "s" ? end + 1 : end;
  while (at - end < 4 && "*_`\"'".includes(text[at] ?? "x")) at++;
  const char = text[at];
  if (char === " ") return mayFollow(text, at + 1);
  if (char === ",") return text[at + 1] === " ";
  if (char !== ":") return false;
  return isDetermined(text, start) || pairNouns().test(text.slice(start, end));
}

/** Whether a sentence can go on so. Beyond ASCII are arrows, dashes and accents. */
function mayFollow(text: string, start: number): boolean {
  if (text.charCodeAt(start) > 127 || ":/".includes(text[start] ?? "x")) return true;
  let end = start;
  while (end - start < followerCharsMax && isAt(text, end, charClasses.letter)) end++;
  return (
    !isAt(text, end, charClasses.letter) && followers.has(text.slice(start, end).toLowerCase())
  );
}

function sentenceAfter(scan: Scan, from: number): string {
  const window = scan.text.slice(from, from + sentenceCharsMax);
  const end = window.search(/\n|\r|\\+[nrt]|[;<{}]|[.?!] |&(?:lt|quot);/);
  spend(scan, 24);
  return end < 0 ? window : window.slice(0, end);
}

interface Found {
  readonly start: number;
  readonly value: string;
}

/** What a walk over the words of a sentence knows. */
interface Walk {
  readonly found: Found[];
  /** The last word ties what follows to the noun. */
  isTied: boolean;
  /** The sentence is about a change, so that `to` and `from` tie too. */
  isChange: boolean;
}

const endsInColon = (): RegExp => /:[*_]{0,2}$/;

/** The values after a verb, or after `to` and `from` in a sentence about a change. */
function tiedValues(scan: Scan, hit: Hit, window: string): readonly Found[] {
  const words = wordsOf(window);
  const walk: Walk = { found: [], isTied: false, isChange: changes().test(before(scan, hit)) };
  for (const [index, word] of words.entries()) {
    if (index === 1 && !walk.isTied && !isTie(word.text, walk) && !openers().test(word.text)) break;
    if (!step(walk, word, index > 0 || isDetermined(scan.text, hit.start))) break;
  }
  return walk.found;
}

/** Takes one word; false where the sentence can tie nothing any more. */
function step(walk: Walk, word: Placed, isFree: boolean): boolean {
  const { text } = word;
  if (walk.isTied) {
    const value = valueAt(word);
    if (value !== undefined) {
      walk.found.push(value);
      walk.isTied = false;
      return walk.isChange;
    }
    if (adverbs().test(text)) return true;
    if (!walk.isChange) return false;
    walk.isTied = false;
  }
  walk.isChange ||= changes().test(text);
  walk.isTied = isTie(text, walk) || (isFree && endsInColon().test(text));
  return walk.isTied || text === "" || isPassable(text);
}

/** A word of a sentence, or the marks that close a noun. */
function isPassable(text: string): boolean {
  return plainWord().test(text) || /^[*_"'`s:]{1,3},?$/.test(text);
}

function isTie(text: string, { isChange }: Walk): boolean {
  return verbs().test(text) || (isChange && /^(?:to|from|auf|von|à|de|a|por|par)$/i.test(text));
}

/** Whether the word before a noun says that it is one. */
function isDetermined(text: string, start: number): boolean {
  const window = text.slice(Math.max(0, start - 16), start).trimEnd();
  const word = window.slice(Math.max(window.lastIndexOf(" "), window.lastIndexOf("\n")) + 1);
  return determiners.has(
    word
      .toLowerCase()
      .replaceAll(/[*_"’]/g, "")
      .replace(/^\\+n/, ""),
  );
}

function before({ text }: Scan, { start }: Hit): string {
  const window = text.slice(Math.max(0, start - 64), start);
  return window.slice(Math.max(window.lastIndexOf("\n"), window.lastIndexOf(". ")) + 1);
}

interface Placed {
  readonly start: number;
  readonly text: string;
}

/** The words of a sentence; the first one is what follows the noun without a blank. */
function wordsOf(window: string): readonly Placed[] {
  const words: Placed[] = [];
  let start = 0;
  while (start <= window.length && words.length <= wordsMax) {
    const blank = window.indexOf(" ", start);
    const end = blank < 0 ? window.length : blank;
    if (end > start || start === 0) words.push({ start, text: window.slice(start, end) });
    start = end + 1;
  }
  return words;
}

/** Marks of code, which no sentence has in a value. */
const codeMarks = (): RegExp => /[()[\]{}<>;="'`\\|,]/;

/** The value that a word holds, without quotes, stars and the end of a sentence. */
function valueAt({ start, text }: Placed): Found | undefined {
  const lead = /^(?:\\{0,15}["'`“‘«*_]){0,3}/.exec(text)?.[0].length ?? 0;
  const rest = text.slice(lead);
  const close = rest.search(/\\*["'`”’»]|\*\*|\)|&[a-z#]|$/);
  const value = rest.slice(0, close).replace(/[.,;:!?*_]{1,6}$/, "");
  return isStrongWord(value) && !codeMarks().test(value)
    ? { start: start + lead, value }
    : undefined;
}

/** The second of a user and a password: `admin / …`, `admin:…`, after a colon or a verb. */
function pairValue(window: string): readonly Found[] {
  const lead = /^[*_]{0,2}(?:(?: [\p{L}]{1,16}){0,6}?(?:\s?[:=]| (?:are|is|was|with|as|using|sind|sont|son))[*_]{0,2}) {1,2}["'`]?[\w.@+-]{2,40}["'`]?\s?[/:|,]\s?/u.exec(window); // prettier-ignore
  if (lead === null) return [];
  const rest = window.slice(lead[0].length);
  const word = rest.slice(0, rest.search(/\s|$/));
  const value = valueAt({ start: lead[0].length, text: word });
  return value === undefined ? [] : [value];
}
