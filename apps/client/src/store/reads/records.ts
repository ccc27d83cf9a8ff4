import { compactState, compareText, type NamespaceId, type RecordId } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { readReplicas, resolveNamespace } from "../records/replicas.ts";
import { isShownIn } from "../view/standing.ts";
import { childrenOf, isLiveView, viewOf, type LiveView } from "../view/view.ts";
import { createAuthors } from "./authors.ts";
import { recordViewOf, type RecordView } from "./record-view.ts";

/** A view with the namespace it stands in. */
export interface PlacedView {
  readonly namespace: NamespaceId;
  readonly view: LiveView;
}

/** Views of all records of a collection, or of those under one parent; one is held at a time. */
export function* liveViews(
  context: StoreContext,
  collection: string,
  namespaces?: readonly NamespaceId[],
  parent?: RecordId,
): Iterable<PlacedView> {
  for (const namespace of wantedNamespaces(context, namespaces)) {
    const ids =
      parent === undefined
        ? idsOfCollection(context, namespace, collection)
        : childrenOf(context, namespace, parent);
    for (const id of ids) {
      const view = viewOf(context, namespace, id);
      if (isLiveView(view) && view.state.collection === collection) yield { namespace, view };
    }
  }
}

/** How many records of a collection are in view; reads none of them. */
export function countLive(
  context: StoreContext,
  collection: string,
  namespaces?: readonly NamespaceId[],
): number {
  return wantedNamespaces(context, namespaces)
    .map((namespace) => {
      const ids = idsOfCollection(context, namespace, collection);
      return ids.filter((id) => isShownIn(context, { namespace, collection }, id)).length;
    })
    .reduce((sum, count) => sum + count, 0);
}

/** The records of a collection, newest first. */
export function listRecords(
  context: StoreContext,
  collection: string,
  namespaces?: readonly NamespaceId[],
): readonly RecordView[] {
  const authors = createAuthors(context);
  return [...liveViews(context, collection, namespaces)]
    .map(({ namespace, view }) => recordViewOf(authors, namespace, view))
    .toSorted(newestFirst);
}

/**
 * The records of a collection that have no text in a field, newest first. Of those that have one
 * nothing else is read, but where a change waits, or names are sealed.
 */
export function listWithout(
  context: StoreContext,
  { collection, field }: { readonly collection: string; readonly field: string },
  namespaces?: readonly NamespaceId[],
): readonly RecordView[] {
  const authors = createAuthors(context);
  return wantedNamespaces(context, namespaces)
    .flatMap((namespace) => {
      const ids = idsWithout(context, namespace, { collection, field });
      return ids.flatMap((id) => {
        const view = viewOf(context, namespace, id);
        if (!isLiveView(view) || view.state.collection !== collection) return [];
        const isText = typeof view.state.registers[field]?.value === "string";
        return isText ? [] : [recordViewOf(authors, namespace, view)];
      });
    })
    .toSorted(newestFirst);
}

/** A record's children, newest first. */
export function listChildren(
  context: StoreContext,
  namespace: NamespaceId,
  parent: RecordId,
  collection?: string,
): readonly RecordView[] {
  const authors = createAuthors(context);
  const place = resolveNamespace(context, namespace);
  return childrenOf(context, place, parent)
    .flatMap((id) => {
      const view = viewOf(context, place, id);
      const isWanted = collection === undefined || view?.state.collection === collection;
      return isLiveView(view) && isWanted ? [recordViewOf(authors, place, view)] : [];
    })
    .toSorted(newestFirst);
}

const allIdsSql = `SELECT id FROM records WHERE namespace = ?1
  UNION SELECT record FROM outbox WHERE namespace = ?1`;

/**
 * Everything in view of a namespace, one line each: `namespace` and the compact state. Tombstones
 * too, so that what was forgotten stays forgotten where the lines are taken in.
 */
export function* exportLines(context: StoreContext, namespace: NamespaceId): Iterable<string> {
  const place = resolveNamespace(context, namespace);
  const ids = context.db.all<{ id: RecordId }>(`${allIdsSql} ORDER BY 1`, place);
  for (const { id } of ids) {
    const view = viewOf(context, place, id);
    if (view !== undefined) yield JSON.stringify({ namespace: place, ...compactState(view.state) });
  }
}

/** How many lines {@link exportLines} gives. */
export function countExportLines(context: StoreContext, namespace: NamespaceId): number {
  const place = resolveNamespace(context, namespace);
  const row = context.db.get<{ count: number }>(
    `SELECT count(*) AS count FROM (${allIdsSql})`,
    place,
  );
  return row?.count ?? 0;
}

/** How many records of each kind there are; conflicts are those nobody has resolved. */
export interface Counts {
  readonly observations: number;
  readonly sessions: number;
  readonly conflicts: number;
  /** Confirmed records, tombstones too. */
  readonly records: number;
}

function wantedNamespaces(
  context: StoreContext,
  namespaces: readonly NamespaceId[] | undefined,
): readonly NamespaceId[] {
  if (namespaces !== undefined) return namespaces.map((name) => resolveNamespace(context, name));
  return readReplicas(context).map(({ namespace }) => namespace as NamespaceId);
}

function idsOfCollection(
  context: StoreContext,
  namespace: NamespaceId,
  collection: string,
): readonly RecordId[] {
  // Where SQL itself drops doubles, the planner reads the whole namespace in the order of its ids.
  const rows = context.db.all<{ id: RecordId }>(
    `SELECT id FROM records WHERE namespace = ?1 AND collection = ?2 AND forgotten = 0
     UNION ALL SELECT record FROM outbox WHERE namespace = ?1 AND collection = ?2`,
    namespace,
    collection,
  );
  return [...new Set(rows.map(({ id }) => id))].toSorted(compareText);
}

function idsWithout(
  context: StoreContext,
  namespace: NamespaceId,
  { collection, field }: { readonly collection: string; readonly field: string },
): readonly RecordId[] {
  const rows = context.db.all<{ id: RecordId }>(
    `SELECT id FROM records WHERE namespace = ?1 AND collection = ?2 AND forgotten = 0
       AND json_type(fields -> ?3) IS NOT 'text'
     UNION ALL SELECT record FROM outbox WHERE namespace = ?1 AND collection = ?2`,
    namespace,
    collection,
    field,
  );
  return [...new Set(rows.map(({ id }) => id))];
}

function newestFirst(left: RecordView, right: RecordView): number {
  return right.createdAtMs - left.createdAtMs || (left.id < right.id ? 1 : -1);
}
