import {
  collections,
  type JsonValue,
  type LiveRecord,
  type NamespaceId,
  type RecordId,
  type WriterId,
} from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import type { ConflictView } from "../local-store.ts";
import { isLiveView, viewOf } from "../view/view.ts";
import { createAuthors, type Authors } from "./authors.ts";
import { liveViews } from "./records.ts";

/** Which conflicts are wanted. */
export interface ConflictFilter {
  readonly namespaces?: readonly NamespaceId[] | undefined;
  readonly record?: RecordId | undefined;
}

/** Kept losing values that nobody has resolved, newest first (CF10). */
export function listConflicts(
  context: StoreContext,
  filter: ConflictFilter = {},
): readonly ConflictView[] {
  const authors = createAuthors(context);
  const parents = createParents(context);
  return liveViews(context, collections.conflict, filter.namespaces, filter.record)
    .map(({ namespace, view }) => conflictViewOf({ authors, parents }, namespace, view.state))
    .toSorted((left, right) => right.lamport - left.lamport || (left.id < right.id ? -1 : 1));
}

type Parents = (namespace: NamespaceId, record: RecordId) => ReturnType<typeof viewOf>;

/** Each record is read once, however many values lost in it. */
function createParents(context: StoreContext): Parents {
  const known = new Map<string, ReturnType<typeof viewOf>>();
  return (namespace, record) => {
    const name = `${namespace} ${record}`;
    if (!known.has(name)) known.set(name, viewOf(context, namespace, record));
    return known.get(name);
  };
}

function conflictViewOf(
  { authors, parents }: { readonly authors: Authors; readonly parents: Parents },
  namespace: NamespaceId,
  conflict: LiveRecord,
): ConflictView {
  const value = (name: string): JsonValue => conflict.registers[name]?.value ?? null;
  const field = textOf(value("field"));
  const writer = textOf(value("writer")) as WriterId;
  const record = conflict.parent ?? ("" as RecordId);
  const parent = parents(namespace, record);
  const current = isLiveView(parent) ? parent.state.registers[field]?.value : undefined;
  return {
    id: conflict.id,
    namespace,
    record,
    field,
    value: value("value"),
    lamport: numberOf(value("lamport")),
    writer,
    author: authors.author(namespace, writer),
    current: current ?? null,
    at: numberOf(value("lostAt")),
  };
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : "";
}

function numberOf(value: JsonValue): number {
  return typeof value === "number" ? value : 0;
}
