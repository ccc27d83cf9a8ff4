import { raise, type Signal } from "./signal.ts";

/**
 * Words that come in this order, each group within `gap` words of the one before. A group is words
 * parted by spaces, any of which will do.
 */
export interface FamilyPhrase {
  readonly weight: number;
  readonly groups: readonly string[];
  /** Words that may stand between two groups; 3 unless given. */
  readonly gap?: number;
}

interface Phrase extends FamilyPhrase {
  readonly signal: Signal;
}

/** Finds phrases in the words of a text. */
export type PhraseFinder = (words: readonly string[], weights: Map<Signal, number>) => void;

interface Step {
  readonly phrase: number;
  readonly index: number;
}

/**
 * Compiles phrases into one table from word to the groups it stands in. A text is read once and each
 * word does work for the groups it stands in alone, so the time grows with the text whatever it says.
 */
export function compilePhrases(
  families: Readonly<Partial<Record<Signal, readonly FamilyPhrase[]>>>,
): PhraseFinder {
  const phrases: readonly Phrase[] = Object.entries(families).flatMap(([signal, family]) =>
    family.map((phrase) => ({ ...phrase, signal: signal as Signal })),
  );
  const stepsByWord = new Map<string, Step[]>();
  for (const [phrase, { groups }] of phrases.entries()) {
    for (const [index, group] of groups.entries()) {
      for (const word of group.split(" ")) {
        const steps = stepsByWord.get(word) ?? [];
        stepsByWord.set(word, steps);
        // Later groups first, so that one word is not taken for two groups of a phrase.
        steps.unshift({ phrase, index });
      }
    }
  }
  return (words, weights) => {
    // Where the beginning of each phrase, up to each group, was last seen.
    const seenAt = phrases.map(({ groups }) => groups.map(() => Number.NEGATIVE_INFINITY));
    for (const [at, word] of words.entries()) {
      for (const { phrase, index } of stepsByWord.get(word) ?? []) {
        const { groups, gap = 3, signal, weight } = phrases[phrase] as Phrase;
        const seen = seenAt[phrase] as number[];
        const before = index === 0 ? at - 1 : (seen[index - 1] as number);
        if (at - before > gap + 1) continue;
        seen[index] = at;
        if (index === groups.length - 1) raise(weights, signal, weight);
      }
    }
  };
}
