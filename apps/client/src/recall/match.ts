import { stopWords } from "./stop-words.ts";

/** Characters of a query that are looked at; the rest is ignored. */
const queryCharsMax = 512;

/** Words of a query that are searched for. */
export const queryWordsMax = 32;

/** Shorter beginnings than this one begin too many words. */
const looseCharsMin = 3;

// Letters, digits and marks of any script, with what holds code names and paths together.
// Made at the first use: a class of all letters takes longer to build than a whole query does.
const chunk = (): RegExp => /[\p{L}\p{N}\p{M}_][\p{L}\p{N}\p{M}_.:/@#+-]*/gu;
const word = (): RegExp => /[\p{L}\p{N}\p{M}]+/gu;

/**
 * Turns what a person or an agent typed into an FTS5 match text, or undefined when nothing in it
 * can be searched (RC1). Safe for any input: every term is quoted, so operators, quotes, `C++`,
 * `-x`, paths and emoji never reach the query parser.
 *
 * Terms are joined by OR and ranked by bm25, stop words are dropped unless nothing else is left. A
 * path or a dotted name becomes a phrase, so `src/auth.ts` finds the file and not every `ts`.
 */
export function matchOf(query: string): string | undefined {
  return matchOfTerms(termsOf(query));
}

/** The match text for any of these terms; undefined for none. */
export function matchOfTerms(terms: readonly string[]): string | undefined {
  return terms.length === 0 ? undefined : terms.map((term) => `"${term}"`).join(" OR ");
}

/**
 * The match text for a query that {@link matchOf} finds nothing with (RC11): each word of each name
 * by itself, and as the beginning of a longer one.
 */
export function looseMatchOf(query: string): string | undefined {
  const words = termsOf(query).flatMap((term) => term.split(" "));
  const telling = [...new Set(words)].filter((each) => each.length >= looseCharsMin);
  const terms = telling.slice(0, queryWordsMax).map((each) => `"${each}" *`);
  return terms.length === 0 ? undefined : terms.join(" OR ");
}

/** The terms of a query, each a word or the words of a phrase; see {@link matchOf}. */
export function termsOf(query: string): readonly string[] {
  const chunks = query.slice(0, queryCharsMax).match(chunk()) ?? [];
  const terms = chunks.map(termOf).filter((term) => term !== undefined);
  const telling = terms.filter((term) => !stopWords.has(term.toLowerCase()));
  return [...new Set(telling.length > 0 ? telling : terms)].slice(0, queryWordsMax);
}

// FTS5 splits a quoted term with its own tokenizer, so a phrase is the words one after the other.
function termOf(text: string): string | undefined {
  const words = text.match(word());
  return words === null ? undefined : words.join(" ");
}
