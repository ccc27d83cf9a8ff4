import {
  fail,
  idPattern,
  isTombstone,
  limits,
  ok,
  type NamespaceId,
  type RecordId,
  type Result,
} from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { readReplicas, resolveNamespace } from "../records/replicas.ts";
import { isLiveView, viewOf, type LiveView } from "../view/view.ts";

/** Why an id, or the beginning of one, names no single record. */
export type FindError =
  | { readonly kind: "unknown-record"; readonly id: string }
  | { readonly kind: "forgotten"; readonly id: string }
  | { readonly kind: "too-short"; readonly id: string; readonly charsMin: number }
  | {
      readonly kind: "ambiguous";
      readonly id: string;
      readonly ids: readonly { readonly namespace: NamespaceId; readonly id: RecordId }[];
    };

/** Where to look. */
export interface FindOptions {
  readonly namespaces?: readonly NamespaceId[] | undefined;
  readonly collection?: string | undefined;
  /** The id itself: a beginning of one names nothing. */
  readonly isWhole?: boolean | undefined;
}

/** A record that was found, with the namespace it stands in. */
export interface Found {
  readonly namespace: NamespaceId;
  readonly view: LiveView;
}

/** Characters that the beginning of an id must have to stand for it. */
export const idPrefixCharsMin = 6;

const ambiguousMax = 10;

/** Finds a record by its id or by a beginning of it that no other record has (ST7). */
export function findRecord(
  context: StoreContext,
  idOrPrefix: string,
  options: FindOptions = {},
): Result<Found, FindError> {
  const id = idOrPrefix.trim();
  if (!idPattern.test(id) || id.length > limits.idMax) return fail({ kind: "unknown-record", id });
  const namespaces =
    options.namespaces?.map((name) => resolveNamespace(context, name)) ??
    readReplicas(context).map(({ namespace }) => namespace as NamespaceId);
  const candidates = namespaces.flatMap((namespace) => candidatesIn(context, namespace, id));
  const exact = candidates.filter((one) => one.id === id);
  const isWhole = options.isWhole === true || exact.length > 0;
  const named = isWhole ? exact : candidates;
  if (!isWhole && id.length < idPrefixCharsMin) {
    return fail({ kind: "too-short", id, charsMin: idPrefixCharsMin });
  }
  return single(context, id, named, options.collection);
}

interface Candidate {
  readonly namespace: NamespaceId;
  readonly id: RecordId;
}

function single(
  context: StoreContext,
  id: string,
  candidates: readonly Candidate[],
  collection: string | undefined,
): Result<Found, FindError> {
  const found: Found[] = [];
  let wasForgotten = false;
  for (const { namespace, id: candidate } of candidates) {
    const view = viewOf(context, namespace, candidate);
    wasForgotten ||= view !== undefined && isTombstone(view.state);
    if (!isLiveView(view)) continue;
    if (collection === undefined || view.state.collection === collection) {
      found.push({ namespace, view });
    }
  }
  const meant = found.length > 1 ? openCopies(context, found) : found;
  const [first] = meant;
  if (first === undefined) return fail({ kind: wasForgotten ? "forgotten" : "unknown-record", id });
  if (meant.length === 1) return ok(first);
  const ids = meant.map(({ namespace, view }) => ({ namespace, id: view.state.id }));
  return fail({ kind: "ambiguous", id, ids });
}

/** What was taken along from a parked namespace into another is meant there (CP71). */
function openCopies(context: StoreContext, found: readonly Found[]): readonly Found[] {
  const replicas = readReplicas(context).filter(({ status }) => status === "parked");
  const parked = new Set<string>(replicas.map(({ namespace }) => namespace));
  const open = found.filter(({ namespace }) => !parked.has(namespace));
  const isOpen = (id: RecordId): boolean => open.some(({ view }) => view.state.id === id);
  return found.filter(({ namespace, view }) => !parked.has(namespace) || !isOpen(view.state.id));
}

// `~` sorts after every character of an id.
function candidatesIn(
  context: StoreContext,
  namespace: NamespaceId,
  prefix: string,
): readonly Candidate[] {
  const rows = context.db.all<{ id: RecordId }>(
    `SELECT id FROM records WHERE namespace = ?1 AND id >= ?2 AND id < ?2 || '~'
     UNION
     SELECT record FROM outbox WHERE namespace = ?1 AND record >= ?2 AND record < ?2 || '~'
     ORDER BY 1 LIMIT ?3`,
    namespace,
    prefix,
    ambiguousMax,
  );
  return rows.map(({ id }) => ({ namespace, id }));
}
