import { collections, ok, type NamespaceId, type RecordId, type Result } from "@tidemark/protocol";
import { rejectedOps } from "../changes/rejected.ts";
import type { StoreContext } from "../context.ts";
import type {
  ConflictView,
  HistoryEntry,
  ObservationFilter,
  RejectedOpView,
  SearchHit,
  WaitingOpView,
} from "../local-store.ts";
import type { Observation } from "../observation.ts";
import { resolveNamespace } from "../records/replicas.ts";
import { isLiveView, viewOf, type LiveView } from "../view/view.ts";
import { createAuthors } from "./authors.ts";
import { listConflicts, type ConflictFilter } from "./conflicts.ts";
import { findRecord, type FindError, type FindOptions } from "./find.ts";
import { historyOf } from "./history.ts";
import { mayForget } from "./may-forget.ts";
import { observationOf } from "./observation-view.ts";
import {
  countMatches,
  countObservations,
  listObservations,
  searchObservations,
} from "./observations.ts";
import { recordViewOf, type RecordView } from "./record-view.ts";
import { exportLines, listChildren, listRecords, liveViews, type Counts } from "./records.ts";
import { waitingOps } from "./waiting.ts";

/** What recall and the surfaces read: the view, never the confirmed records alone. */
export interface Reads {
  /** False where the server would refuse it, as far as this device knows (NS19). */
  mayForget(namespace: NamespaceId, id: RecordId): boolean;
  /** By id, or by a beginning of at least 6 characters that no other record has. */
  find(idOrPrefix: string, options?: FindOptions): Result<RecordView, FindError>;
  /** Undefined where it is unknown or forgotten. */
  get(namespace: NamespaceId, id: RecordId): RecordView | undefined;
  observation(namespace: NamespaceId, id: RecordId): Observation | undefined;
  list(filter: ObservationFilter): readonly Observation[];
  /** As {@link Reads.list}, whatever the limit. */
  count(filter: ObservationFilter): number;
  /** `match` is an FTS5 query over the columns title, text and tags. */
  search(match: string, filter: ObservationFilter): readonly SearchHit[];
  countMatches(match: string, filter: ObservationFilter): number;
  /** All records of a collection, newest first. */
  records(collection: string, namespaces?: readonly NamespaceId[]): readonly RecordView[];
  children(namespace: NamespaceId, parent: RecordId, collection?: string): readonly RecordView[];
  history(namespace: NamespaceId, id: RecordId): readonly HistoryEntry[];
  conflicts(filter?: ConflictFilter): readonly ConflictView[];
  rejected(namespace?: NamespaceId): readonly RejectedOpView[];
  /** The outbox, refused ops first; at most `limit`. */
  waiting(limit?: number): readonly WaitingOpView[];
  exportLines(namespace: NamespaceId): Iterable<string>;
  counts(namespace?: NamespaceId): Counts;
}

/** The reading side of the store. `rebuild` repairs a damaged search index. */
export function createReads(context: StoreContext, rebuild: () => void): Reads {
  const liveView = (namespace: NamespaceId, id: RecordId): LiveView | undefined => {
    const view = viewOf(context, namespace, id);
    return isLiveView(view) ? view : undefined;
  };
  return {
    mayForget: (namespace, id) => mayForget(context, resolveNamespace(context, namespace), id),
    find: (idOrPrefix, options) => {
      const found = findRecord(context, idOrPrefix, options);
      if (!found.ok) return found;
      const { namespace, view } = found.value;
      return ok(recordViewOf(createAuthors(context), namespace, view));
    },
    get: (name, id) => {
      const namespace = resolveNamespace(context, name);
      const view = liveView(namespace, id);
      return view && recordViewOf(createAuthors(context), namespace, view);
    },
    observation: (name, id) => {
      const namespace = resolveNamespace(context, name);
      const view = liveView(namespace, id);
      const isObservation = view?.state.collection === collections.observation;
      return isObservation ? observationOf(createAuthors(context), namespace, view) : undefined;
    },
    list: (filter) => listObservations(context, filter),
    count: (filter) => countObservations(context, filter),
    search: (match, filter) => searchObservations(context, match, filter, rebuild),
    countMatches: (match, filter) => countMatches(context, match, filter, rebuild),
    records: (collection, namespaces) => listRecords(context, collection, namespaces),
    children: (namespace, parent, collection) =>
      listChildren(context, namespace, parent, collection),
    history: (namespace, id) => historyOf(context, resolveNamespace(context, namespace), id),
    conflicts: (filter) => listConflicts(context, filter),
    rejected: (namespace) => rejectedOps(context, namespace),
    waiting: (limit) => waitingOps(context, limit),
    exportLines: (namespace) => exportLines(context, namespace),
    counts: (namespace) => countsOf(context, namespace),
  };
}

function countsOf(context: StoreContext, name: NamespaceId | undefined): Counts {
  const namespaces = name === undefined ? undefined : [resolveNamespace(context, name)];
  const records = context.db.get<{ count: number }>(
    "SELECT coalesce(sum(count), 0) AS count FROM replicas WHERE ?1 IS NULL OR namespace = ?1",
    namespaces?.[0] ?? null,
  );
  return {
    observations: countObservations(context, { namespaces, includeHidden: true }),
    sessions: liveViews(context, collections.session, namespaces).length,
    conflicts: liveViews(context, collections.conflict, namespaces).length,
    records: records?.count ?? 0,
  };
}
