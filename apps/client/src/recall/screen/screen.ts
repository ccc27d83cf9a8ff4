import { decodedTexts } from "./decoded.ts";
import { findMarks } from "./marks.ts";
import { findOtherTongues } from "./other-tongues.ts";
import { findPhrases } from "./find-phrases.ts";
import { plainWords } from "./plain-words.ts";
import { raise, type Signal } from "./signal.ts";

/** What a text gives away. */
export interface Screening {
  /** The sum of what its signals weigh, each family once; {@link isHeld} judges it. */
  readonly score: number;
  /** The heaviest first. */
  readonly signals: readonly Signal[];
}

/** From this score on nobody's words are handed out. */
const heldScore = 0.8;
/** The words of people who are not this device's own, and of what agents read, are held from here. */
const strangersHeldScore = 0.6;
/** Up to this trust somebody else may have chosen the words. */
const strangersTrustMax = 2;

/** Characters that are looked at; what comes after is never handed out (RC5). */
const screenedCharsMax = 20_000;

/**
 * Looks for words that are meant for the agent that reads them (RC19). Deterministic, linear in the
 * text, and no proof: it raises the cost of an injection, and what passes is fenced all the same.
 */
export function screen(text: string): Screening {
  const shown = text.slice(0, screenedCharsMax);
  const weights = weightsOf(shown);
  for (const decoded of decodedTexts(shown)) {
    const inner = weightsOf(decoded);
    for (const [signal, weight] of inner) raise(weights, signal, weight);
    if (inner.size > 0) raise(weights, "encoded", 0.5);
  }
  const signals = [...weights].toSorted(([, left], [, right]) => right - left);
  const score = signals.reduce((sum, [, weight]) => sum + weight, 0);
  return { score, signals: signals.map(([signal]) => signal) };
}

/** Sums of tenths come out a hair below what they stand for. */
const roundingMax = 1e-9;

/** Whether words of this trust are held back. */
export function isHeld({ score }: Screening, trust: number): boolean {
  return score >= (trust <= strangersTrustMax ? strangersHeldScore : heldScore) - roundingMax;
}

function weightsOf(text: string): Map<Signal, number> {
  const weights = new Map<Signal, number>();
  findPhrases(plainWords(text), weights);
  findMarks(text, weights);
  findOtherTongues(text, weights);
  return weights;
}
