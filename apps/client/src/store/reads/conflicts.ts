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
  /** At most so many, after the first `offset` ones. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/**
 * Kept losing values that nobody has resolved, newest first (CF10). A record may be a megabyte, and
 * one of each record in conflict is not held (CF14): conflicts and the records that they are of are
 * read one at a time, and of those the values that stand are kept.
 */
export function listConflicts(
  context: StoreContext,
  filter: ConflictFilter = {},
): readonly ConflictView[] {
  const { offset = 0, limit = Infinity } = filter;
  const wanted = [...placesOf(context, filter)].toSorted(newestFirst).slice(offset, offset + limit);
  const standing = standingValues(context, wanted);
  const authors = createAuthors(context);
  return wanted.flatMap((place) => {
    const conflict = losingOf(context, place, authors);
    return conflict === undefined ? [] : [{ ...conflict, current: standing.get(place) ?? null }];
  });
}

/** The conflict of an id; undefined where that is resolved, or none. */
export function readConflict(
  context: StoreContext,
  namespace: NamespaceId,
  id: RecordId,
): ConflictView | undefined {
  const view = viewOf(context, namespace, id);
  if (!isLiveView(view) || view.state.collection !== collections.conflict) return undefined;
  const place = placeOf(namespace, view.state);
  const conflict = losingOf(context, place, createAuthors(context));
  const current = standingValues(context, [place]).get(place) ?? null;
  return conflict === undefined ? undefined : { ...conflict, current };
}

/** What is held of each conflict while they are sorted. */
interface Place {
  readonly namespace: NamespaceId;
  readonly id: RecordId;
  readonly record: RecordId;
  readonly field: string;
  readonly lamport: number;
}

function* placesOf(context: StoreContext, { namespaces, record }: ConflictFilter): Iterable<Place> {
  const views = liveViews(context, collections.conflict, namespaces, record);
  for (const { namespace, view } of views) yield placeOf(namespace, view.state);
}

function placeOf(namespace: NamespaceId, conflict: LiveRecord): Place {
  return {
    namespace,
    id: conflict.id,
    record: conflict.parent ?? ("" as RecordId),
    field: textOf(valueOf(conflict, "field")),
    lamport: numberOf(valueOf(conflict, "lamport")),
  };
}

function newestFirst(left: Place, right: Place): number {
  return right.lamport - left.lamport || (left.id < right.id ? -1 : 1);
}

/** The values that stand where others lost; each record is read once, however many lost in it. */
function standingValues(
  context: StoreContext,
  places: readonly Place[],
): ReadonlyMap<Place, JsonValue> {
  const standing = new Map<Place, JsonValue>();
  for (const ofRecord of byRecord(places)) {
    const [{ namespace, record } = { namespace: "", record: "" }] = ofRecord;
    const view = viewOf(context, namespace, record);
    if (!isLiveView(view)) continue;
    for (const place of ofRecord) {
      const register = view.state.registers[place.field];
      if (register !== undefined) standing.set(place, register.value);
    }
  }
  return standing;
}

function byRecord(places: readonly Place[]): Iterable<readonly Place[]> {
  const found = new Map<string, Place[]>();
  for (const place of places) {
    const name = `${place.namespace} ${place.record}`;
    const others = found.get(name);
    if (others === undefined) found.set(name, [place]);
    else others.push(place);
  }
  return found.values();
}

function losingOf(
  context: StoreContext,
  { namespace, id, record, field, lamport }: Place,
  authors: Authors,
): Omit<ConflictView, "current"> | undefined {
  const view = viewOf(context, namespace, id);
  // Another process may have resolved it meanwhile.
  if (!isLiveView(view)) return undefined;
  const writer = textOf(valueOf(view.state, "writer")) as WriterId;
  return {
    id,
    namespace,
    record,
    field,
    value: valueOf(view.state, "value"),
    lamport,
    writer,
    author: authors.author(namespace, writer),
    at: numberOf(valueOf(view.state, "lostAt")),
  };
}

function valueOf(conflict: LiveRecord, name: string): JsonValue {
  return conflict.registers[name]?.value ?? null;
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : "";
}

function numberOf(value: JsonValue): number {
  return typeof value === "number" ? value : 0;
}
