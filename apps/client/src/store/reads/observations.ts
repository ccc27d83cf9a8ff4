import type { StoreContext } from "../context.ts";
import { rankedMax, type ObservationFilter, type SearchHit } from "../local-store.ts";
import type { Observation } from "../observation.ts";
import type { Bound } from "../sqlite.ts";
import { isDamage } from "../view/search-index.ts";
import { isLiveView, ownView } from "../view/view.ts";
import { createAuthors } from "./authors.ts";
import { withinBytes, type Named } from "./within-bytes.ts";
import { filterSql, whereOf, type FilterSql } from "./filter-sql.ts";
import { neighboursMax, withNeighbours, type Match } from "./neighbours.ts";
import { observationOf } from "./observation-view.ts";
import { runsOf } from "./runs.ts";

interface Dated extends Named {
  readonly id: number;
  readonly created_at: number;
}

type Hit = Named & Match;

/** Observations that are read while somebody goes through them. */
export interface Walk {
  /** How many there are; those that go meanwhile are passed over. */
  readonly total: number;
  readonly observations: Iterable<Observation>;
}

/** How many are read at once, between two turns of whoever goes through them. */
const walkRows = 100;

/** Observations that a filter wants; with a limit few more are read than it wants (ST20). */
export function listObservations(
  context: StoreContext,
  filter: ObservationFilter,
): readonly Observation[] {
  return context.db.snapshot<readonly Observation[]>(() =>
    readAll(context, withinBytes(context, inOrder(context, filter), filter)),
  );
}

/** What {@link listObservations} gives, each as it is when its turn comes: others may act in between. */
export function walkObservations(context: StoreContext, filter: ObservationFilter): Walk {
  const rows = context.db.snapshot<readonly Named[]>(() =>
    withinBytes(context, inOrder(context, filter), filter),
  );
  return { total: rows.length, observations: inPieces(context, rows) };
}

function* inPieces(context: StoreContext, rows: readonly Named[]): Iterable<Observation> {
  for (let done = 0; done < rows.length; done += walkRows) {
    const piece = rows.slice(done, done + walkRows);
    yield* context.db.snapshot<readonly Observation[]>(() => readAll(context, piece));
  }
}

/** The runs of a filter merged. Once the limit is full, a run is read as far as it can push others out. */
function inOrder(context: StoreContext, filter: ObservationFilter): readonly Named[] {
  const { limit, offset = 0 } = filter;
  const end = limit === undefined ? undefined : offset + limit;
  const isOldest = filter.order === "oldest";
  const direction = isOldest ? "ASC" : "DESC";
  const sign = isOldest ? 1 : -1;
  const sorted = (rows: readonly Dated[]): readonly Dated[] =>
    rows.toSorted(
      (left, right) => sign * (left.created_at - right.created_at || left.id - right.id),
    );
  let [since, before] = timesOf(filter);
  let found: readonly Dated[] = [];
  for (const { terms, values } of runsOf(context, filter)) {
    const rows = context.db.all<Dated>(
      `SELECT o.namespace, o.record, o.id, o.created_at FROM observations AS o
       ${whereOf([...terms, ...timeTerms])}
       ORDER BY o.created_at ${direction}, o.id ${direction} LIMIT ?`,
      ...values,
      since,
      before,
      end ?? -1,
    );
    found = found.concat(rows);
    if (end === undefined) continue;
    found = sorted(found).slice(0, end);
    const last = found[end - 1]?.created_at;
    if (last === undefined) continue;
    if (isOldest) before = last + 1;
    else since = last;
  }
  return sorted(found).slice(offset);
}

// One bound each: of two, SQLite may stop at the farther one.
const timeTerms = ["o.created_at >= ?", "o.created_at < ?"];

function timesOf({ sinceMs, beforeMs }: ObservationFilter): readonly [Bound, Bound] {
  return [sinceMs ?? -Infinity, beforeMs ?? Infinity];
}

/** How many observations a filter wants, whatever its limit; counts no further than `upTo`. */
export function countObservations(
  context: StoreContext,
  filter: ObservationFilter,
  upTo?: number,
): number {
  return context.db.snapshot<number>(() => {
    let count = 0;
    for (const { terms, values } of runsOf(context, filter)) {
      const row = context.db.get<{ count: number }>(
        `SELECT count(*) AS count
         FROM (SELECT 1 FROM observations AS o ${whereOf([...terms, ...timeTerms])} LIMIT ?)`,
        ...values,
        ...timesOf(filter),
        upTo === undefined ? -1 : upTo - count,
      );
      count += row?.count ?? 0;
    }
    return count;
  });
}

const rankSql = "bm25(search, 8.0, 2.0, 4.0)";
/** In this order: SQLite must not think that an index of `observations` finds less than the words. */
const matchedSql = "search CROSS JOIN observations AS o ON o.id = search.rowid";

/**
 * Observations that a full-text query matches, best first; of more than {@link rankedMax} the newest
 * are ranked (RC17). A damaged index is rebuilt and asked again (ST6).
 *
 * @param match an FTS5 query; its syntax is the caller's business
 */
export function searchObservations(
  context: StoreContext,
  match: string,
  filter: ObservationFilter,
  rebuild: () => void,
): readonly SearchHit[] {
  const { terms, values } = filterSql(context, filter);
  const { limit, offset = 0 } = filter;
  const end = limit === undefined ? undefined : offset + limit;
  const isRanked = filter.order !== "newest";
  const ask = (): readonly Hit[] =>
    context.db.all<Hit>(
      `SELECT o.namespace, o.record, o.id, o.session, o.created_at,
         ${isRanked ? rankSql : "-1.0"} AS rank
       FROM ${matchedSql}
       ${whereOf(["search MATCH ?", ...terms, "search.rowid > ?"])}
       ORDER BY ${isRanked ? "rank, o.created_at DESC, o.id DESC" : "search.rowid DESC"} LIMIT ?`,
      match,
      ...values,
      isRanked ? lastUnranked(context, match, { terms, values }) : 0,
      windowEnd(end, isRanked),
    );
  const found = withRepair(ask, rebuild);
  const hits = (isRanked ? withNeighbours(context, found) : found).slice(offset, end);
  const observations = readAll(context, withinBytes(context, hits, filter));
  const byKey = new Map(observations.map((one) => [`${one.namespace} ${one.id}`, one]));
  return hits.flatMap(({ namespace, record, rank }) => {
    const observation = byKey.get(`${namespace} ${record}`);
    return observation === undefined ? [] : [{ observation, rank }];
  });
}

function windowEnd(end: number | undefined, isRanked: boolean): number {
  if (end === undefined) return -1;
  return isRanked ? Math.max(end, neighboursMax) : end;
}

/** The newest match that is not ranked any more; 0 where all are. */
function lastUnranked(context: StoreContext, match: string, { terms, values }: FilterSql): number {
  const row = context.db.get<{ id: number }>(
    `SELECT search.rowid AS id FROM ${matchedSql}
     ${whereOf(["search MATCH ?", ...terms])}
     ORDER BY search.rowid DESC LIMIT 1 OFFSET ?`,
    match,
    ...values,
    rankedMax,
  );
  return row?.id ?? 0;
}

/** A search and what it is limited to. */
export interface MatchCount {
  readonly match: string;
  readonly filter: ObservationFilter;
  /** Counts no further. */
  readonly upTo?: number | undefined;
}

/** How many observations a full-text query matches, whatever the filter's limit. */
export function countMatches(
  context: StoreContext,
  { match, filter, upTo }: MatchCount,
  rebuild: () => void,
): number {
  const { terms, values } = filterSql(context, filter);
  // Every row of the index has one in `observations`: without a filter there is nothing to look up.
  const from = terms.length === 0 ? "search" : matchedSql;
  const ask = (): number =>
    context.db.get<{ count: number }>(
      `SELECT count(*) AS count FROM (
         SELECT 1 FROM ${from}
         ${whereOf(["search MATCH ?", ...terms])} LIMIT ?)`,
      match,
      ...values,
      upTo ?? -1,
    )?.count ?? 0;
  return withRepair(ask, rebuild);
}

function withRepair<T>(ask: () => T, rebuild: () => void): T {
  try {
    return ask();
  } catch (error) {
    if (!isDamage(error)) throw error;
    rebuild();
    return ask();
  }
}

/**
 * The observations of rows, in their order. The projection holds only what is in view, so none of them
 * has a forgotten parent.
 */
export function readAll(context: StoreContext, rows: readonly Named[]): readonly Observation[] {
  const authors = createAuthors(context);
  return rows.flatMap(({ namespace, record }) => {
    const view = ownView(context, namespace, record);
    return isLiveView(view) ? [observationOf(authors, namespace, view)] : [];
  });
}
