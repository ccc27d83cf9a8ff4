import { rankedMax, type ObservationFilter } from "../store/local-store.ts";
import { matchOfTerms, termsOf } from "./match.ts";
import type { RecallReads } from "./reads.ts";

/**
 * The match text for a query's telling terms (RC17). Where a query has more matches than are ranked,
 * terms that by themselves have that many go: what they find would push out of the ranking what a
 * rarer term finds, and bm25 gives them next to nothing. A query of such terms alone keeps them all.
 */
export function tellingMatchOf(
  reads: Pick<RecallReads, "countMatches">,
  query: string,
  filter: ObservationFilter,
): string | undefined {
  const terms = termsOf(query);
  const all = matchOfTerms(terms);
  const isBroad = (match: string): boolean =>
    reads.countMatches(match, filter, rankedMax + 1) > rankedMax;
  if (all === undefined || terms.length === 1 || !isBroad(all)) return all;
  return matchOfTerms(terms.filter((term) => !isBroad(`"${term}"`))) ?? all;
}
