import type { ObservationFilter } from "../store/local-store.ts";
import type { Observation } from "../store/observation.ts";
import { looseMatchOf, matchOf } from "./match.ts";
import type { RecallReads } from "./reads.ts";

/** What a search found: the best first, and how many there are in all. */
export interface SearchAnswer {
  readonly items: readonly Observation[];
  readonly total: number;
}

/**
 * Finds observations by words, best first (RC2); a query with nothing to search for finds nothing.
 * Where whole words find nothing, beginnings of words are looked for (RC11).
 */
export function searchObservations(
  reads: RecallReads,
  query: string,
  filter: ObservationFilter,
): SearchAnswer {
  const found = foundBy(reads, matchOf(query), filter);
  return found.total > 0 ? found : foundBy(reads, looseMatchOf(query), filter);
}

function foundBy(
  reads: RecallReads,
  match: string | undefined,
  filter: ObservationFilter,
): SearchAnswer {
  if (match === undefined) return { items: [], total: 0 };
  const hits = reads.search(match, filter);
  return {
    items: hits.map((hit) => hit.observation),
    total: filter.limit === undefined ? hits.length : reads.countMatches(match, filter),
  };
}
