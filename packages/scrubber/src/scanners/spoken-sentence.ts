import { looksRandom } from "../checks/randomness.ts";
import { isUnmistakable } from "../strength.ts";
import { isStrongWord } from "./command-value.ts";
import {
  isAdverb,
  isChangeTie,
  isChangeWord,
  isOpener,
  isOtherSubject,
  isParticiple,
  isTieWord,
} from "./spoken-words.ts";

const wordsMax = 14;
const plainWord = (): RegExp =>
  /^[("'*_`«„“]{0,3}[\p{L}\d][\p{L}\d'’./@:-]{0,40}[)"'*_`»”“]{0,3}[,:]?$/u;

/** A value, and where it begins in its window. */
export interface Found {
  readonly start: number;
  readonly value: string;
}

/** What stands before the words that are walked over. */
export interface Lead {
  /** The sentence up to the noun speaks of a change. */
  readonly isChange: boolean;
  /** The word before the noun says that it is one. */
  readonly isDetermined: boolean;
  /** A tie of the noun's own language that is another word in others. */
  readonly ties?: string;
}

/** What a walk over the words of a sentence knows. */
interface Walk {
  readonly found: Found[];
  /** The last word ties what follows to the noun. */
  isTied: boolean;
  /** The sentence is about a change, so that `to` and `from` tie too. */
  isChange: boolean;
  /** How the secret came about was said: only a colon ties from there on. */
  isMade: boolean;
  /** The value was said. */
  isDone: boolean;
  readonly ties: string | undefined;
}

const endsInColon = (): RegExp => /[:：][*_]{0,2}$/;
/** A word of a sentence, or the marks that close a noun. */
let passable: readonly RegExp[] | undefined;

function isPassable(text: string): boolean {
  passable ??= [plainWord(), /^[*_"'`s:]{1,3},?$/, /^(?:[-–—→]|->|=>|['’]s)$/];
  return passable.some((form) => form.test(text));
}

/** The values after a verb, or after `to` and `from` in a sentence about a change. */
export function tiedValues(window: string, lead: Lead): readonly Found[] {
  const walk: Walk = {
    found: [],
    isTied: false,
    isChange: lead.isChange,
    isMade: false,
    isDone: false,
    ties: lead.ties,
  };
  for (const [index, word] of wordsOf(window).entries()) {
    if (index === 1 && lead.ties === undefined && !walk.isTied && !mayGoOn(word.text, walk)) break;
    if (!step(walk, word, index > 0 || lead.isDetermined)) break;
  }
  return walk.found;
}

/** Whether the first word after the noun leaves it the subject. */
function mayGoOn(text: string, walk: Walk): boolean {
  const said = bareWord(text);
  return text === ":" || isTie(said, walk) || isOpener(said) || isChangeWord(said);
}

/** Takes one word; false where the sentence can tie nothing any more. */
function step(walk: Walk, word: Placed, isFree: boolean): boolean {
  const { text } = word;
  const said = bareWord(text);
  // After the value only what it was before is said of it.
  if (walk.isDone) {
    walk.isTied =
      /^\(?(?:was|previously|formerly|before:?|old:?|vorher|war|antes|avant|était|era)$/i.test(
        said,
      );
    walk.isDone = false;
    return walk.isTied;
  }
  walk.isChange ||= isChangeWord(said);
  if (walk.isTied) {
    const goesOn = stepTied(walk, word, said);
    if (goesOn !== undefined) return goesOn;
  }
  if (isOtherSubject(said)) return false;
  walk.isTied = (!walk.isMade && isTie(said, walk)) || (isFree && isMark(text));
  return walk.isTied || text === "" || isPassable(text);
}

/** The word after a tie: the value, or what may stand before it; nothing where the tie is off. */
function stepTied(walk: Walk, word: Placed, said: string): boolean | undefined {
  const value = valueAt(word);
  if (value !== undefined) {
    walk.found.push(value);
    walk.isTied = false;
    walk.isDone = !walk.isChange;
    return true;
  }
  if (isAdverb(said)) return true;
  if (isParticiple(said)) walk.isMade = true;
  else if (!walk.isChange) return false;
  return undefined;
}

function isMark(text: string): boolean {
  return endsInColon().test(text) || text === "=";
}

function isTie(said: string, { isChange, ties }: Walk): boolean {
  return isTieWord(said) || said === ties || (isChange && isChangeTie(said));
}

/** The word as lists have it. */
function bareWord(text: string): string {
  const bare = text.replace(/^[*_"`]{1,3}/, "").replace(/[*_"`,:]{1,4}$/, "");
  return (bare === "" ? text : bare).toLowerCase();
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
    const blank = nextBlank(window, start);
    const end = blank < 0 ? window.length : blank;
    if (end > start || start === 0) words.push({ start, text: window.slice(start, end) });
    start = end + 1;
  }
  return words;
}

/** The next blank of any width. */
function nextBlank(window: string, from: number): number {
  for (let at = from; at < window.length; at++) {
    if (isBlank(window.charCodeAt(at))) return at;
  }
  return -1;
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9 || code === 0xa0 || code === 0x202f || code === 0x3000;
}

/** Marks of code, which no sentence has in a value, and those that a drawn one may have. */
const codeMarks = (): RegExp => /[()[\]{}<>;"'`\\|]/;
const pairMarks = (): RegExp => /[=,]/;

/** The value that a word holds, without quotes, stars and the end of a sentence. */
export function valueAt({ start, text }: Placed): Found | undefined {
  const lead = /^(?:\\{0,15}["'`“‘«„*_([]){0,3}/.exec(text)?.[0].length ?? 0;
  const rest = text.slice(lead);
  const close = rest.search(/\\*["'`”’»“]|\*\*|\)|&[a-z#]|[。、！，；]|$/);
  const shown = rest.slice(0, close).replace(/[.,;:*_]{1,6}$/, "");
  // A mark that ends the sentence is none of the value, unless there is no value without it.
  const value = shown.replace(/[!?]{1,6}$/, "");
  const isBare = isWordOfValue(value);
  if (isBare && value !== shown && endsPlain(value)) return { start: start + lead, value: shown };
  if (isBare) return { start: start + lead, value };
  // A name that may be absent, as declarations in code mark it.
  if (/^[a-z]\w*\?$/i.test(shown)) return undefined;
  return isWordOfValue(shown) ? { start: start + lead, value: shown } : undefined;
}

/** Shortest run of letters that may look drawn by lot without a capital among them. */
const drawnCharsMin = 12;

/**
 * Whether any word of a window can be {@link valueAt a value}: one that has a digit, a capital or a
 * mark, or is long. Most sentences about a token hold none, and need not be walked over.
 */
export function mayHoldValue(window: string): boolean {
  let start = 0;
  for (let at = 0; at < window.length; at++) {
    const code = window.charCodeAt(at);
    if (code === 32) start = at + 1;
    else if (code < 97 ? !isQuietMark(code) : code > 122 || at - start >= drawnCharsMin - 1)
      return true;
  }
  return false;
}

/** What no value is one by: quotes, brackets and the marks that end and part words. */
function isQuietMark(code: number): boolean {
  return code === 34 || code === 39 || code === 40 || code === 41 || code === 44 || code === 46 || code === 58 || code === 47 || code === 96; // prettier-ignore
}

/** Letters and one number: a mark after them is how people make a password of it. */
function endsPlain(value: string): boolean {
  return /^[A-Za-z]+\d{1,4}$/.test(value);
}

function isWordOfValue(value: string): boolean {
  if (!isStrongWord(value) || codeMarks().test(value) || /^1Password$/i.test(value)) return false;
  if (!pairMarks().test(value) || looksRandom(value)) return true;
  // No name of a setting is spelt as what stands before the sign.
  return isUnmistakable(value.slice(0, value.search(pairMarks())));
}
