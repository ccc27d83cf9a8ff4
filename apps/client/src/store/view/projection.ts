import { collections, type RecordId } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { dropSession } from "../session-log.ts";
import { dropVector } from "../vectors/drop.ts";
import { hidesIn, type Hides } from "./hidden.ts";
import { indexText, unindexText } from "./search-index.ts";
import { projectionOf, textHash, type Projection } from "./search-side.ts";
import { hasForgottenParent } from "./standing.ts";
import { descendantsOf, isLiveView, ownView, type View } from "./view.ts";

/**
 * Brings the search side of records in line with their view (ST5). Runs in the transaction that
 * changed the view, whatever changed it: a local op, a page, a heal, a fork, a rejection, a drop.
 */
export function refreshViews(
  context: StoreContext,
  namespace: string,
  ids: Iterable<RecordId>,
): void {
  const hides = hidesIn(context, namespace);
  for (const id of ids) refreshView(context, namespace, id, hides);
}

/** As {@link refreshViews}, with everything below the records: where one was forgotten or came back. */
export function refreshTrees(
  context: StoreContext,
  namespace: string,
  roots: Iterable<RecordId>,
): void {
  const hides = hidesIn(context, namespace);
  for (const root of roots) {
    for (const id of [root, ...descendantsOf(context, namespace, root)]) {
      refreshView(context, namespace, id, hides);
    }
  }
}

function refreshView(
  context: StoreContext,
  namespace: string,
  id: RecordId,
  hides: Hides | undefined,
): void {
  const view = ownView(context, namespace, id);
  const isObservation = isLiveView(view) && view.state.collection === collections.observation;
  if (isObservation && !hasForgottenParent(context, namespace, view.state)) {
    const isHidden = hides?.(view.state, view.seq) === true;
    saveProjection(context, namespace, projectionOf(view.state, isHidden), id);
  } else {
    deleteProjection(context, namespace, id);
    if (isForgottenSession(view)) dropSession(context, namespace, id);
  }
}

function isForgottenSession(view: View | undefined): boolean {
  return view?.state.collection === collections.session && !isLiveView(view);
}

function saveProjection(
  context: StoreContext,
  namespace: string,
  { values, text }: Projection,
  record: RecordId,
): void {
  const hash = textHash(context, text);
  const before = context.db.get<{ text_hash: string }>(
    "SELECT text_hash FROM observations WHERE namespace = ? AND record = ?",
    namespace,
    record,
  );
  const row = context.db.get<{ id: number }>(
    `INSERT INTO observations (namespace, record, kind, project, session, origin, pinned, archived,
       superseded_by, created_at, text_hash)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (namespace, record) DO UPDATE SET kind = excluded.kind,
       project = excluded.project, session = excluded.session, origin = excluded.origin,
       pinned = excluded.pinned, archived = excluded.archived,
       superseded_by = excluded.superseded_by, text_hash = excluded.text_hash,
       created_at = excluded.created_at
     RETURNING id`,
    namespace,
    record,
    ...values,
    hash,
  );
  if (row === undefined || before?.text_hash === hash) return;
  indexText(context, row.id, text);
  if (before !== undefined) dropVector(context, row.id);
}

function deleteProjection(context: StoreContext, namespace: string, id: RecordId): void {
  const row = context.db.get<{ id: number }>(
    "DELETE FROM observations WHERE namespace = ? AND record = ? RETURNING id",
    namespace,
    id,
  );
  if (row === undefined) return;
  unindexText(context, row.id);
  dropVector(context, row.id);
}
