import type { ObservationFilter } from "../store/local-store.ts";
import type { Observation } from "../store/observation.ts";
import { looseMatchOf } from "./match.ts";
import type { RecallReads } from "./reads.ts";
import { tellingMatchOf } from "./telling.ts";
import { totalBy, type Total } from "./total.ts";

/** What a search found: the best first, and how many there are in all. */
export interface SearchAnswer extends Total {
  readonly items: readonly Observation[];
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
  const found = foundBy(reads, tellingMatchOf(reads, query, filter), filter);
  return found.total > 0 ? found : foundBy(reads, looseMatchOf(query), filter);
}

function foundBy(
  reads: RecallReads,
  match: string | undefined,
  filter: ObservationFilter,
): SearchAnswer {
  if (match === undefined) return { items: [], total: 0 };
  const items = reads.search(match, filter).map((hit) => hit.observation);
  if (filter.limit === undefined) return { items, total: items.length };
  return { items, ...totalBy((upTo) => reads.countMatches(match, filter, upTo)) };
}
