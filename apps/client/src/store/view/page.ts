import { collections, type LiveRecord, type RecordId } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import type { Bound } from "../sqlite.ts";
import { projectionOf, refreshViews } from "./projection.ts";
import { isSearchDamaged, writeText } from "./search-index.ts";

/**
 * Brings the search side in line with the states of a page, as `refreshViews` does, for records
 * that no op lies over: what is there already is read at once, and what is new is only written.
 */
export function refreshPage(
  context: StoreContext,
  namespace: string,
  states: ReadonlyMap<RecordId, LiveRecord>,
): void {
  if (states.size === 0) return;
  const isDamaged = isSearchDamaged(context);
  const before = readRows(context, namespace, [...states.keys()]);
  // Nobody else writes while the page's transaction is open.
  let next = nextId(context);
  const others: RecordId[] = [];
  for (const [id, state] of states) {
    // A forgotten parent hides its children, so those with a parent take the long way.
    if (state.parent !== undefined || state.collection !== collections.observation) {
      others.push(id);
      continue;
    }
    const held = before.get(id);
    const projection = projectionOf(context, state);
    if (held === undefined) insertRow(context, [next, namespace, id, ...projection.values]);
    else updateRow(context, held, projection.values);
    const isIndexed = isDamaged || held?.text_hash === projection.hash;
    if (!isIndexed) writeText(context, held?.id ?? next, projection.text);
    if (held === undefined) next += 1;
  }
  refreshViews(context, namespace, others);
}

const shownColumns =
  "kind, project, session, origin, pinned, archived, superseded_by, text_hash, created_at";

interface Row {
  readonly id: number;
  readonly record: string;
  readonly kind: string;
  readonly project: string | null;
  readonly session: string | null;
  readonly origin: string;
  readonly pinned: number;
  readonly archived: number;
  readonly superseded_by: string | null;
  readonly text_hash: string;
  readonly created_at: number;
}

function readRows(
  context: StoreContext,
  namespace: string,
  ids: readonly RecordId[],
): ReadonlyMap<string, Row> {
  const rows = context.db.all<Row>(
    `SELECT id, record, ${shownColumns} FROM observations
     WHERE namespace = ? AND record IN (SELECT value FROM json_each(?))`,
    namespace,
    JSON.stringify(ids),
  );
  return new Map(rows.map((row) => [row.record, row]));
}

function nextId(context: StoreContext): number {
  const row = context.db.get<{ id: number | null }>("SELECT max(id) AS id FROM observations");
  return (row?.id ?? 0) + 1;
}

function insertRow(context: StoreContext, values: readonly Bound[]): void {
  context.db.run(
    `INSERT INTO observations (id, namespace, record, ${shownColumns})
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...values,
  );
}

function updateRow(context: StoreContext, held: Row, values: readonly Bound[]): void {
  if (isSame(held, values)) return;
  context.db.run(
    `UPDATE observations SET (${shownColumns}) = (?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE id = ?`,
    ...values,
    held.id,
  );
}

function isSame(row: Row, values: readonly Bound[]): boolean {
  const { id: _id, record: _record, ...shown } = row;
  const held: readonly Bound[] = Object.values(shown);
  return held.every((value, index) => value === values[index]);
}
