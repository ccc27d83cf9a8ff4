import type { ObservationFilter } from "../store/local-store.ts";
import type { Observation } from "../store/observation.ts";
import { looseMatchOf } from "./match.ts";
import type { RecallReads } from "./reads.ts";
import { hitsOf, tellingOf, type Telling } from "./telling.ts";
import { searchCountedMax, totalBy, type Total } from "./total.ts";

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
  const found = foundBy(reads, tellingOf(reads, query), filter);
  if (found.total > 0) return found;
  const loose = looseMatchOf(query);
  return loose === undefined ? found : foundBy(reads, { match: loose }, filter);
}

function foundBy(
  reads: RecallReads,
  telling: Telling | undefined,
  filter: ObservationFilter,
): SearchAnswer {
  if (telling === undefined) return { items: [], total: 0 };
  const items = hitsOf(reads, telling, filter).map((hit) => hit.observation);
  if (filter.limit === undefined) return { items, total: items.length };
  return {
    items,
    ...totalBy((upTo) => reads.countMatches(telling.match, filter, upTo), searchCountedMax),
  };
}
