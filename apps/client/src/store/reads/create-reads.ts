import {
  collections,
  isEncryptedId,
  type DeviceId,
  type NamespaceId,
  type RecordId,
} from "@tidemark/protocol";
import { isRejected, rejectedOps } from "../changes/rejected.ts";
import type { StoreContext } from "../context.ts";
import type {
  Author,
  ConflictView,
  HistoryEntry,
  RejectedOpView,
  WaitingOpView,
  OpName,
} from "../local-store.ts";
import type { Observation } from "../observation.ts";
import { readConfirmed } from "../records/confirmed.ts";
import { readSuspects } from "../records/suspects.ts";
import { readReplica, readReplicas, resolveNamespace } from "../records/replicas.ts";
import { createAgentReads, type AgentReads } from "./agent-reads.ts";
import { createAuthors } from "./authors.ts";
import { listConflicts, readConflict, type ConflictFilter } from "./conflicts.ts";
import { historyOf, openedEntries } from "./history.ts";
import { mayForget } from "./may-forget.ts";
import { observationOf } from "./observation-view.ts";
import { countObservations } from "./observations.ts";
import {
  authorDevices,
  descendantsOfHidden,
  listQuarantines,
  quarantinesOf,
  type Descendant,
  type QuarantineView,
} from "./quarantines.ts";
import { listProjects } from "./projects.ts";
import { recordViewOf, type RecordView } from "./record-view.ts";
import { countExportLines, countLive, exportLines, listChildren, type Counts } from "./records.ts";
import { closedRecords, type ClosedRecords } from "../sealed/missing-keys.ts";
import { isLiveView, viewOf, type LiveView } from "../view/view.ts";
import { waitingOps } from "./waiting.ts";
import { authorsKnown, isAuthor } from "./written-by.ts";
import { createWhereabouts, type Whereabouts } from "./whereabouts.ts";

/** What the surfaces read: the view, never the confirmed records alone. */
export interface Reads extends AgentReads {
  /** False where the server would refuse it, as far as this device knows (NS19). */
  mayForget(namespace: NamespaceId, id: RecordId): boolean;
  /** Undefined where it is unknown or forgotten. */
  get(namespace: NamespaceId, id: RecordId): RecordView | undefined;
  observation(namespace: NamespaceId, id: RecordId): Observation | undefined;
  children(namespace: NamespaceId, parent: RecordId, collection?: string): readonly RecordView[];
  history(namespace: NamespaceId, id: RecordId): readonly HistoryEntry[];
  /** See {@link openedEntries}. */
  openedHistory(
    record: Pick<RecordView, "namespace" | "id">,
    told: readonly HistoryEntry[],
  ): readonly HistoryEntry[];
  conflicts(filter?: ConflictFilter): readonly ConflictView[];
  /** Undefined where it is resolved, or no conflict. */
  conflict(namespace: NamespaceId, id: RecordId): ConflictView | undefined;
  rejected(namespace?: NamespaceId): readonly RejectedOpView[];
  /** Whether one op is among them, at the cost of one. */
  isRejected(op: OpName): boolean;
  /** The outbox, refused ops first; at most `limit`. */
  waiting(limit?: number): readonly WaitingOpView[];
  /** Devices whose words are hidden here (QU5). Reads what they reach. */
  quarantines(): readonly QuarantineView[];
  /** The devices among them, in one namespace; reads nothing else. */
  suspects(namespace: NamespaceId): readonly DeviceId[];
  /** Other devices that have written here, as far as this one was told. */
  authorDevices(): readonly { readonly id: DeviceId; readonly name: string }[];
  /** What hides one record; nothing where it is shown. */
  quarantinesOf(namespace: NamespaceId, id: RecordId): readonly Omit<QuarantineView, "hidden">[];
  /** What others made of what a device wrote that is hidden now. */
  descendantsOfHidden(device: DeviceId): readonly Descendant[];
  exportLines(namespace: NamespaceId): Iterable<string>;
  countExportLines(namespace: NamespaceId): number;
  /** Whether a record is here of which nothing opens, for want of a key. */
  isClosed(namespace: NamespaceId, id: RecordId): boolean;
  /** What of an encrypted namespace is closed here, for want of keys; nothing of another. */
  closedRecords(namespace: NamespaceId): ClosedRecords;
  counts(namespace?: NamespaceId): Counts;
  /** Whether somebody of that name, or `me`, can be asked for as an author. */
  isAuthor(name: string): boolean;
  /** Everyone who has written here, by name, as far as this device was told. */
  authors(): readonly Author[];
  /** Projects that observations of this device belong to. */
  projects(): readonly string[];
  /** Session, project and files of each observation in view. */
  whereabouts(): readonly Whereabouts[];
}

/** The reading side of the store. */
export function createReads(context: StoreContext): Reads {
  const liveView = (namespace: NamespaceId, id: RecordId): LiveView | undefined => {
    const view = viewOf(context, namespace, id);
    return isLiveView(view) ? view : undefined;
  };
  return {
    ...createAgentReads(context),
    mayForget: (namespace, id) => mayForget(context, resolveNamespace(context, namespace), id),
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
    children: (namespace, parent, collection) =>
      listChildren(context, namespace, parent, collection),
    history: (namespace, id) => historyOf(context, resolveNamespace(context, namespace), id),
    openedHistory: (record, told) => openedEntries(context, record, told),
    conflicts: (filter) => listConflicts(context, filter),
    conflict: (namespace, id) => readConflict(context, resolveNamespace(context, namespace), id),
    rejected: (namespace) => rejectedOps(context, namespace),
    isRejected: (op) => isRejected(context, op),
    waiting: (limit) => waitingOps(context, limit),
    quarantines: () => listQuarantines(context),
    suspects: (namespace) =>
      readSuspects(context, namespace).map(({ device }) => device as DeviceId),
    authorDevices: () => authorDevices(context),
    quarantinesOf: (namespace, id) => quarantinesOf(context, namespace, id),
    descendantsOfHidden: (device) => descendantsOfHidden(context, device),
    exportLines: (namespace) => exportLines(context, namespace),
    countExportLines: (namespace) => countExportLines(context, namespace),
    isClosed: (name, id) => {
      const namespace = resolveNamespace(context, name);
      const isHere =
        isEncryptedId(namespace) && readConfirmed(context, namespace, id) !== undefined;
      return isHere && viewOf(context, namespace, id) === undefined;
    },
    closedRecords: (namespace) => closedRecords(context, resolveNamespace(context, namespace)),
    counts: (namespace) => countsOf(context, namespace),
    isAuthor: (name) => isAuthor(context, name),
    authors: () => authorsKnown(context),
    projects: () => listProjects(context),
    whereabouts: createWhereabouts(context),
  };
}

function countsOf(context: StoreContext, name: NamespaceId | undefined): Counts {
  const namespaces = name === undefined ? undefined : [resolveNamespace(context, name)];
  return {
    observations: countObservations(context, { namespaces, includeHidden: true }),
    sessions: countLive(context, collections.session, namespaces),
    conflicts: countLive(context, collections.conflict, namespaces),
    records: confirmedIn(context, namespaces?.[0]),
  };
}

/** Asked of one namespace, no other's row is read: `status` asks of each. */
function confirmedIn(context: StoreContext, namespace: NamespaceId | undefined): number {
  if (namespace !== undefined) return readReplica(context, namespace)?.count ?? 0;
  return readReplicas(context).reduce((sum, { count }) => sum + count, 0);
}
