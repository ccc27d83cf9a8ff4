import type { StoreContext } from "../context.ts";
import type { ObservationFilter } from "../local-store.ts";
import { resolveNamespace } from "../records/replicas.ts";
import type { Bound } from "../sqlite.ts";
import { writersNamed, writtenBySql } from "./written-by.ts";

/** The `WHERE` terms of a filter, over `observations AS o`, and what they bind. */
export interface FilterSql {
  readonly terms: readonly string[];
  readonly values: readonly Bound[];
}

/** Turns a filter into SQL. Lists are bound as one JSON text, so statements stay few. */
export function filterSql(context: StoreContext, filter: ObservationFilter): FilterSql {
  const terms: string[] = [];
  const values: Bound[] = [];
  const add = (term: string, ...bound: readonly Bound[]): void => {
    terms.push(term);
    values.push(...bound);
  };
  const addList = (column: string, list: readonly string[] | undefined): void => {
    if (list === undefined) return;
    add(`${column} IN (SELECT value FROM json_each(?))`, JSON.stringify(list));
  };
  const addEqual = (column: string, value: string | undefined): void => {
    if (value !== undefined) add(`${column} = ?`, value);
  };
  addList(
    "o.namespace",
    filter.namespaces?.map((name) => resolveNamespace(context, name)),
  );
  addList("o.kind", filter.kinds);
  addList("o.origin", filter.origins);
  addList("o.record", filter.ids);
  addEqual("o.project", filter.project);
  addEqual("o.session", filter.session);
  if (filter.kindsNot !== undefined) {
    add("o.kind NOT IN (SELECT value FROM json_each(?))", JSON.stringify(filter.kindsNot));
  }
  if (filter.sessionNot !== undefined) add("o.session IS NOT ?", filter.sessionNot);
  if (filter.file !== undefined) {
    add("o.id IN (SELECT rowid FROM search WHERE search MATCH ?)", fileMatch(filter.file));
  }
  if (filter.author !== undefined) {
    add(writtenBySql, JSON.stringify(writersNamed(context, filter.author)));
  }
  // Not bound: SQLite has to see that the index of pinned ones holds what is wanted.
  if (filter.pinned !== undefined) add(filter.pinned ? "o.pinned = 1" : "o.pinned = 0");
  if (filter.sinceMs !== undefined) add("o.created_at >= ?", filter.sinceMs);
  if (filter.beforeMs !== undefined) add("o.created_at < ?", filter.beforeMs);
  if (filter.includeHidden !== true) add("o.archived = 0 AND o.superseded_by IS NULL");
  return { terms, values };
}

/** Any text as one quoted phrase; neither a quote nor a NUL, which would end it, is left in it. */
function fileMatch(file: string): string {
  return `{tags} : "${file.replaceAll(/["\0]/gu, " ")}"`;
}

/** Terms as a `WHERE` clause; empty where there are none. */
export function whereOf(terms: readonly string[]): string {
  return terms.length === 0 ? "" : `WHERE ${terms.join(" AND ")}`;
}
