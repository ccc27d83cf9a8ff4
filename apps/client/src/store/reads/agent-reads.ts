import { ok, type NamespaceId, type Result } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import type { ObservationFilter, SearchHit } from "../local-store.ts";
import type { Observation } from "../observation.ts";
import { readReplicas } from "../records/replicas.ts";
import type { Replica } from "../replica-store.ts";
import { rebuildSearch } from "../view/rebuild-search.ts";
import { createAuthors } from "./authors.ts";
import { findRecord, type FindError, type FindOptions } from "./find.ts";
import {
  countMatches,
  countObservations,
  listObservations,
  searchObservations,
  walkObservations,
  type Walk,
} from "./observations.ts";
import { recordViewOf, type RecordView } from "./record-view.ts";
import { listRecords, listWithout } from "./records.ts";

/** What capture and recall read. */
export interface AgentReads {
  /** The namespaces of this device. */
  namespaces(): readonly Pick<Replica, "namespace" | "kind" | "status">[];
  /** By id, or by a beginning of at least 6 characters that no other record has. */
  find(idOrPrefix: string, options?: FindOptions): Result<RecordView, FindError>;
  /** All records of a collection, newest first. */
  records(collection: string, namespaces?: readonly NamespaceId[]): readonly RecordView[];
  /** Those that have no text in a field, newest first; of the others hardly anything is read. */
  recordsWithout(
    wanted: { readonly collection: string; readonly field: string },
    namespaces?: readonly NamespaceId[],
  ): readonly RecordView[];
  list(filter: ObservationFilter): readonly Observation[];
  /** As {@link AgentReads.list}, read piece by piece as somebody goes through them. */
  walk(filter: ObservationFilter): Walk;
  /** As {@link AgentReads.list}, whatever the limit; counts no further than `upTo`. */
  count(filter: ObservationFilter, upTo?: number): number;
  /** `match` is an FTS5 query over the columns title, text and tags; RC17 says what is ranked. */
  search(match: string, filter: ObservationFilter): readonly SearchHit[];
  countMatches(match: string, filter: ObservationFilter, upTo?: number): number;
}

/** The reads of capture and recall; a search that meets a damaged index rebuilds it. */
export function createAgentReads(context: StoreContext): AgentReads {
  const rebuild = (): void => {
    rebuildSearch(context);
  };
  return {
    namespaces: () =>
      readReplicas(context).map(({ namespace, kind, status }) => ({
        namespace: namespace as NamespaceId,
        kind,
        status,
      })),
    find: (idOrPrefix, options) => {
      const found = findRecord(context, idOrPrefix, options);
      if (!found.ok) return found;
      const { namespace, view } = found.value;
      return ok(recordViewOf(createAuthors(context), namespace, view));
    },
    records: (collection, namespaces) => listRecords(context, collection, namespaces),
    recordsWithout: (wanted, namespaces) => listWithout(context, wanted, namespaces),
    list: (filter) => listObservations(context, filter),
    walk: (filter) => walkObservations(context, filter),
    count: (filter, upTo) => countObservations(context, filter, upTo),
    search: (match, filter) => searchObservations(context, match, filter, rebuild),
    countMatches: (match, filter, upTo) => countMatches(context, { match, filter, upTo }, rebuild),
  };
}
