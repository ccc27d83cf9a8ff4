import { collections, isEncryptedId, type LiveRecord, type RecordId } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import type { Bound } from "../sqlite.ts";
import { dropVector } from "../vectors/drop.ts";
import { hidesIn } from "./hidden.ts";
import { refreshViews } from "./projection.ts";
import { isSearchDamaged, writeText } from "./search-index.ts";
import { projectionOf, shownColumns, textHash } from "./search-side.ts";

/**
 * Brings the search side in line with the states of a page, as `refreshViews` does, for records
 * that no op lies over: what is there already is read at once, and what is new is only written.
 *
 * @param seqOf where the server has a record of the page
 */
export function refreshPage(
  context: StoreContext,
  namespace: string,
  states: ReadonlyMap<RecordId, LiveRecord>,
  seqOf: (id: RecordId) => number | null,
): void {
  if (states.size === 0) return;
  if (isEncryptedId(namespace)) {
    refreshViews(context, namespace, states.keys());
    return;
  }
  const hides = hidesIn(context, namespace);
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
    const { values, text } = projectionOf(state, hides?.(state, seqOf(id)) === true);
    if (held === undefined) {
      context.db.run(insertSql, next, namespace, id, ...values, unhashed);
      if (!isDamaged) writeText(context, next, text);
      next += 1;
      continue;
    }
    const hash = textHash(context, text);
    updateRow(context, held, [...values, hash]);
    if (held.text_hash === hash) continue;
    if (!isDamaged) writeText(context, held.id, text);
    dropVector(context, held.id);
  }
  refreshViews(context, namespace, others);
}

/**
 * Stands for the hash of a text that came with its record: making it costs a first pull a tenth of
 * its time, and most observations never change. No hash is empty, so the first change indexes anew.
 */
const unhashed = "";

// Made once: a text that is put together at each call is looked up much slower.
const insertSql = `INSERT INTO observations (id, namespace, record, ${shownColumns}, text_hash)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

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
  readonly created_at: number;
  readonly text_hash: string;
}

function readRows(
  context: StoreContext,
  namespace: string,
  ids: readonly RecordId[],
): ReadonlyMap<string, Row> {
  const rows = context.db.all<Row>(
    `SELECT id, record, ${shownColumns}, text_hash FROM observations
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

function updateRow(context: StoreContext, held: Row, values: readonly Bound[]): void {
  if (isSame(held, values)) return;
  context.db.run(
    `UPDATE observations SET (${shownColumns}, text_hash) = (?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE id = ?`,
    ...values,
    held.id,
  );
}

function isSame(row: Row, values: readonly Bound[]): boolean {
  const { id: _id, record: _record, ...shown } = row;
  const held: readonly Bound[] = Object.values(shown);
  return held.every((value, index) => value === values[index]);
}
