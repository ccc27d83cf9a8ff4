import type { RecordId } from "@tidemark/protocol";
import type { ObservationFilter } from "../store/local-store.ts";
import type { Observation } from "../store/observation.ts";
import { looseMatchOf } from "./match.ts";
import { fuse, fusedMax, nearAlone, nearestMax, type Nearness } from "./near.ts";
import type { RecallReads } from "./reads.ts";
import { hitsOf, tellingOf, type Telling } from "./telling.ts";
import { searchCountedMax, totalBy, type Total } from "./total.ts";

/** What a search found: the best first, and how many there are in all. */
export interface SearchAnswer extends Total {
  readonly items: readonly Observation[];
  /** Those of them that have none of the words, and are near to them (RC32). */
  readonly near?: readonly RecordId[];
}

/**
 * Finds observations by words, best first (RC2); a query with nothing to search for finds nothing.
 * Where whole words find nothing, beginnings of words are looked for (RC11).
 *
 * @param nearness what is near to the query as well, where an embedder is set (RC32)
 */
export function searchObservations(
  reads: RecallReads,
  query: string,
  filter: ObservationFilter,
  nearness?: Nearness,
): SearchAnswer {
  const telling = usefulTelling(reads, query, filter);
  if (nearness !== undefined) return withNear(reads, telling, filter, nearness);
  const items = itemsOf(reads, telling, filter);
  if (filter.limit === undefined) return { items, total: items.length };
  return { items, ...totalOf(reads, telling, filter) };
}

/** What finds something of a query: its words, or the beginnings of its words. */
function usefulTelling(
  reads: RecallReads,
  query: string,
  filter: ObservationFilter,
): Telling | undefined {
  const telling = tellingOf(reads, query);
  if (telling !== undefined && reads.countMatches(telling.match, filter, 1) > 0) return telling;
  const loose = looseMatchOf(query);
  return loose === undefined ? telling : { match: loose };
}

function itemsOf(
  reads: RecallReads,
  telling: Telling | undefined,
  filter: ObservationFilter,
): readonly Observation[] {
  if (telling === undefined) return [];
  return hitsOf(reads, telling, filter).map((hit) => hit.observation);
}

function totalOf(
  reads: RecallReads,
  telling: Telling | undefined,
  filter: ObservationFilter,
): Total {
  if (telling === undefined) return { total: 0 };
  return totalBy((upTo) => reads.countMatches(telling.match, filter, upTo), searchCountedMax);
}

/** The lists are put together from their beginnings, so that pages of one search fit together. */
function withNear(
  reads: RecallReads,
  telling: Telling | undefined,
  filter: ObservationFilter,
  { weight, nearest }: Nearness,
): SearchAnswer {
  const { limit, offset = 0 } = filter;
  const end = limit === undefined ? undefined : offset + limit;
  const first = end === undefined ? undefined : Math.max(end, fusedMax);
  const byWords = itemsOf(reads, telling, { ...filter, limit: first, offset: 0 });
  const near = nearest(filter, nearestMax);
  const items = fuse(byWords, near, weight).slice(offset, end);
  const alone = nearAlone(byWords, near);
  // What words find behind those that were looked at is counted with them.
  const more =
    telling === undefined ? 0 : reads.countMatches(telling.match, { ...filter, ids: alone });
  const { total, ...bound } = totalOf(reads, telling, filter);
  const shown = new Set(items.map(({ id }) => id));
  return {
    items,
    total: total + alone.length - more,
    ...bound,
    near: alone.filter((id) => shown.has(id)),
  };
}
