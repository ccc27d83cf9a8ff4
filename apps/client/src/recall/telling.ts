import { rankedMax, type ObservationFilter, type SearchHit } from "../store/local-store.ts";
import { matchOfTerms, termsOf } from "./match.ts";
import type { RecallReads } from "./reads.ts";

/** What is searched for of a query. */
export interface Telling {
  /** The match text. */
  readonly match: string;
  /** Where every term has too many matches to be ranked: match texts, the closest first. */
  readonly unranked?: readonly string[];
}

/**
 * What a query tells (RC17). Where it has more matches than are ranked, terms that by themselves have
 * that many go: what they find would push out of the ranking what a rarer term finds, and bm25 gives
 * them next to nothing, yet reads every one of their matches to find that out. A query of such terms
 * alone is not ranked: what has them all in its title comes first, then what has them all, newest first.
 */
export function tellingOf(
  reads: Pick<RecallReads, "countMatches">,
  query: string,
): Telling | undefined {
  const terms = termsOf(query);
  const all = matchOfTerms(terms);
  // Of the whole index, whatever is filtered later: that is what a rank has to read.
  const isBroad = (match: string): boolean =>
    reads.countMatches(match, { includeHidden: true }, rankedMax + 1) > rankedMax;
  if (all === undefined || !isBroad(all)) return all === undefined ? undefined : { match: all };
  const rare = matchOfTerms(terms.filter((term) => !isBroad(`"${term}"`)));
  if (rare !== undefined) return { match: rare };
  const every = terms.map((term) => `"${term}"`).join(" AND ");
  return { match: all, unranked: [`{title} : (${every})`, every, all] };
}

/** The first hits of what a query tells, as many as the filter's window asks for. */
export function hitsOf(
  reads: Pick<RecallReads, "search">,
  { match, unranked }: Telling,
  filter: ObservationFilter,
): readonly SearchHit[] {
  if (unranked === undefined) return reads.search(match, filter);
  const { limit, offset = 0 } = filter;
  const end = limit === undefined ? undefined : offset + limit;
  const found = new Map<string, SearchHit>();
  for (const each of unranked) {
    if (end !== undefined && found.size >= end) break;
    const window = { ...filter, order: "newest", limit: end, offset: 0 } as const;
    for (const hit of reads.search(each, window)) {
      const { namespace, id } = hit.observation;
      if (!found.has(`${namespace} ${id}`)) found.set(`${namespace} ${id}`, hit);
    }
  }
  return [...found.values()].slice(offset, end);
}
