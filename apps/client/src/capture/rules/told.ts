import { unquoted } from "../payload/clip.ts";
import type { Cues } from "./cues.ts";

/** What a sentence of a prompt tells the memory. */
export interface Told {
  readonly kind: "note" | "decision";
  /** The sentence without the words that only speak to the memory. */
  readonly words: string;
  /** What of the sentence asks for something to be done now; empty where nothing does. */
  readonly task: string;
}

const sentenceCharsMax = 400;
const wordsCharsMin = 10;
const ruleCharsMin = 25;

/** "From now on, please …" is one order; a rule that a plea follows is longer. */
const headCharsMin = 16;

/** A comma or the like, or "and" before an order, opens a clause. */
const clauseStart = (): RegExp =>
  /(?:[,;:—–]\s+|\s+(?=(?:and|but|und|aber)\s))(?:(?:and|but|also|so|then|please|und|aber|bitte|auch)[, ]+)*/giu;
const joiners = (): RegExp => /^(?:(?:and|but|also|so|then|please|und|aber|bitte|auch)[, ]+)+/iu;

/** What is asked for at the end of a sentence that began with a rule. */
const plea = (): RegExp => /[,;]\s+(?:so )?(?:please|can you|could you|bitte|kannst du)\b/iu;

/** Words that are written small only within a sentence; names such as pnpm stay as typed. */
const plainWord = (): RegExp =>
  /^(?:the|we|our|an?|all|always|never|from|don't|do|it|in|on|for|every|this|that|use|immer|nie|niemals|ab|von|wir|der|die|das)\b/u;

/**
 * What a person's sentence asks to be kept: a fact for the memory (CP21), a rule (CP22) or a
 * correction (CP23). A bare "that is wrong." is explained by the sentence after it.
 */
export function toldIn(
  sentence: string,
  after: string | undefined,
  languages: readonly Cues[],
): Told | undefined {
  if (sentence.length > sentenceCharsMax || isQuestion(sentence)) return undefined;
  const end = sentence.search(plea());
  const head = end < headCharsMin ? undefined : toldBy(sentence.slice(0, end), "", languages);
  return head === undefined
    ? toldBy(sentence, after, languages)
    : { ...head, task: sentence.slice(end + 1).trim() };
}

function toldBy(
  sentence: string,
  after: string | undefined,
  languages: readonly Cues[],
): Told | undefined {
  for (const cues of languages) {
    const told = remembered(sentence, cues) ?? ordered(sentence, cues);
    const found = told ?? corrected(sentence, after, cues);
    if (found !== undefined) return { ...found, words: cleaned(found.words) };
  }
  return undefined;
}

/** Whether a sentence only asks to be told something (CP25). */
export function isMereQuestion(sentence: string, languages: readonly Cues[]): boolean {
  const text = straight(sentence.slice(0, sentenceCharsMax));
  return isQuestion(sentence) && languages.some((cues) => cues.asks.test(text));
}

function remembered(sentence: string, cues: Cues): Told | undefined {
  const words = rest(sentence, cues.remember);
  if (words === undefined || words.length < wordsCharsMin) return undefined;
  return { kind: cues.order.test(straight(words)) ? "decision" : "note", words, task: "" };
}

function ordered(sentence: string, cues: Cues): Told | undefined {
  const text = straight(sentence);
  if (cues.passing.test(text)) return undefined;
  const start = joiners().exec(text)?.[0].length ?? 0;
  if (cues.order.test(text.slice(start))) return decision(sentence.slice(start));
  const isConditional = cues.condition.test(text.slice(start));
  for (const clause of text.matchAll(clauseStart())) {
    const from = clause.index + clause[0].length;
    const told = laterClause(sentence, from, cues);
    if (told !== undefined) {
      return isConditional
        ? decision(sentence)
        : { ...told, task: sentence.slice(0, clause.index) };
    }
  }
  return text.length >= ruleCharsMin && cues.rule.test(text) ? decision(sentence) : undefined;
}

function laterClause(sentence: string, from: number, cues: Cues): Told | undefined {
  const clause = sentence.slice(from);
  return cues.laterOrder.test(straight(clause)) ? decision(clause) : remembered(clause, cues);
}

function corrected(sentence: string, after: string | undefined, cues: Cues): Told | undefined {
  if (cues.replaces.test(straight(sentence))) return decision(sentence, sentence);
  const rejected = rest(sentence, cues.wrong);
  const amended = rejected ?? rest(sentence, cues.amends);
  if (amended === undefined) return replacedLater(sentence, cues);
  const isBare = rejected !== undefined && rejected.length < wordsCharsMin;
  const words = isBare ? (after ?? "") : amended;
  return isQuestion(words) ? undefined : correction(words, cues);
}

/** "That breaks on Windows, use path.join instead": the reason belongs to it. */
function replacedLater(sentence: string, cues: Cues): Told | undefined {
  const starts = [...straight(sentence).matchAll(clauseStart())];
  const isReplaced = starts.some(({ index, 0: { length } }) =>
    cues.replaces.test(straight(sentence.slice(index + length))),
  );
  return isReplaced ? decision(sentence, sentence) : undefined;
}

function correction(amended: string, cues: Cues): Told | undefined {
  const words = amended.replace(joiners(), "");
  const text = straight(words);
  if (text.length < wordsCharsMin || text.length > sentenceCharsMax) return undefined;
  if (cues.replaces.test(text) || cues.order.test(text) || /^(?:use|keep) \S/iu.test(text)) {
    return decision(words);
  }
  return cues.momentary.test(text) || !cues.states.test(text)
    ? undefined
    : { kind: "note", words, task: "" };
}

function decision(words: string, task = ""): Told | undefined {
  return words.length < wordsCharsMin ? undefined : { kind: "decision", words, task };
}

/** What follows an opening, or `undefined` where the text does not begin with it. */
function rest(text: string, opening: RegExp): string | undefined {
  const match = opening.exec(straight(text));
  return match === null ? undefined : text.slice(match[0].length).replace(/^[\s,.!:;—–-]+/u, "");
}

function cleaned(words: string): string {
  const plain = unquoted(words.trim());
  return plainWord().test(straight(plain)) ? plain.charAt(0).toUpperCase() + plain.slice(1) : plain;
}

function isQuestion(text: string): boolean {
  return /\?["'”)]*$/u.test(text.trimEnd());
}

/** The same length, with straight apostrophes, so that places found in it fit the original. */
function straight(text: string): string {
  return text.replaceAll("’", "'");
}
