import type { StoreContext } from "../context.ts";
import type { ObservationFilter } from "../local-store.ts";
import { resolveNamespace } from "../records/replicas.ts";
import type { Bound } from "../sqlite.ts";
import { filterSql, whereOf, type FilterSql } from "./filter-sql.ts";

/**
 * 1 where an observation is neither archived nor superseded, 0 where it is hidden. Has to be the
 * expression of the indexes: SQLite uses no other.
 */
const shownSql = "(o.archived = 0 AND o.superseded_by IS NULL)";

/**
 * Kinds of one namespace that are asked for one by one. People make up kinds, so there may be any
 * number of them; beyond these it takes less to sort a namespace than to ask for each.
 */
export const kindsMax = 100;

/**
 * What a filter wants, at any time, as stretches of an index that each stand in the order of time
 * (ST20): by namespace, project, kind, and whether it is hidden. The first of a filter are among the
 * first of each run, so nobody has to read or sort all that it wants; and what is counted is read from
 * the index alone. What is asked for by session or by id is one run, and there is never much of it.
 */
export function runsOf(context: StoreContext, filter: ObservationFilter): readonly FilterSql[] {
  const rest = { ...filter, sinceMs: undefined, beforeMs: undefined };
  if (filter.session !== undefined || filter.ids !== undefined) return [filterSql(context, rest)];
  const starts = startsOf(context, filter);
  // Pinned ones have an index of their own, in the order of time whatever their kind.
  const isByKind = filter.kinds === undefined && filter.pinned !== true;
  const runs = isByKind ? starts.flatMap((each) => byKind(context, each)) : starts;
  const taken = { namespaces: undefined, project: undefined, kinds: undefined };
  const others = filterSql(context, { ...rest, ...taken, includeHidden: true });
  return runs.map((run) => joined(run, others));
}

// By what the indexes begin with, and by nothing else; a `+` keeps SQLite from another index.
function startsOf(context: StoreContext, filter: ObservationFilter): readonly FilterSql[] {
  const named = filter.namespaces?.map((name) => resolveNamespace(context, name));
  const namespaces = new Set(named ?? valuesIn(context, "o.namespace", nothing, -1));
  let starts = [...namespaces].map((namespace) => ofTerm("o.namespace = ?", namespace));
  const narrow = (term: string, values: Iterable<Bound>): void => {
    const terms = [...new Set(values)].map((value) => ofTerm(term, value));
    starts = starts.flatMap((start) => terms.map((each) => joined(start, each)));
  };
  const own = filter.pinned === true ? "+" : "";
  if (filter.project !== undefined) narrow(`${own}o.project = ?`, [filter.project]);
  narrow(`${shownSql} = ?`, filter.includeHidden === true ? [1, 0] : [1]);
  if (filter.kinds !== undefined) narrow(`${own}o.kind = ?`, filter.kinds);
  return starts;
}

function byKind(context: StoreContext, start: FilterSql): readonly FilterSql[] {
  const kinds = valuesIn(context, "o.kind", start, kindsMax + 1);
  if (kinds.length > kindsMax) return [start];
  return kinds.map((kind) => joined(start, ofTerm("o.kind = ?", kind)));
}

/**
 * The values of a column that an index holds behind `start`. Each leads to the next, so this takes as
 * long as there are values, however many rows have them.
 */
function valuesIn(
  context: StoreContext,
  column: "o.namespace" | "o.kind",
  { terms, values }: FilterSql,
  limit: number,
): readonly string[] {
  const first = (term: string): string =>
    `SELECT ${column} FROM observations AS o ${whereOf([...terms, term])}
     ORDER BY ${column} LIMIT 1`;
  const rows = context.db.all<{ value: string }>(
    `WITH RECURSIVE found (value) AS (
       SELECT (${first(`${column} >= ''`)})
       UNION ALL
       SELECT (${first(`${column} > found.value`)}) FROM found WHERE value IS NOT NULL LIMIT ?
     ) SELECT value FROM found WHERE value IS NOT NULL`,
    ...values,
    ...values,
    limit,
  );
  return rows.map(({ value }) => value);
}

const nothing: FilterSql = { terms: [], values: [] };

function ofTerm(term: string, value: Bound): FilterSql {
  return { terms: [term], values: [value] };
}

function joined(left: FilterSql, right: FilterSql): FilterSql {
  return { terms: [...left.terms, ...right.terms], values: [...left.values, ...right.values] };
}
