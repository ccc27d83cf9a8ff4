import { fail, ok, type RecordId, type Result, type ValueError } from "@tidemark/protocol";
import type { ChangeError } from "../store/local-store.ts";
import type { FindError, RecordView } from "../store/store.ts";
import type { MemoryDeps } from "./deps.ts";
import { findObservation, type NotAnObservation } from "./edit.ts";
import { scrubFields } from "./scrub-content.ts";

/** Why one observation cannot take another's place. */
export type SupersedeError =
  | FindError
  | NotAnObservation
  | ChangeError
  | ValueError
  | { readonly kind: "same-record"; readonly id: RecordId }
  | { readonly kind: "superseded-by-it"; readonly id: RecordId }
  | { readonly kind: "other-namespace"; readonly id: RecordId };

/**
 * Lets a newer observation take an older one's place (CP63): the old one names its successor and is
 * hidden, the new one names what it replaces, both in one step. A circle is refused: all in it would
 * be hidden, and nothing would stand in their place (CP67); so another program changes nothing between
 * the look and the change.
 */
export function supersedeObservation(
  deps: MemoryDeps,
  oldId: string,
  newId: string,
): Result<Superseded, SupersedeError> {
  return deps.store.transact<Result<Superseded, SupersedeError>>(() =>
    supersede(deps, oldId, newId),
  );
}

interface Superseded {
  readonly old: RecordId;
  readonly new: RecordId;
}

function supersede(
  deps: MemoryDeps,
  oldId: string,
  newId: string,
): Result<Superseded, SupersedeError> {
  const { changes } = deps.store;
  const old = findObservation(deps, oldId);
  if (!old.ok) return old;
  const successor = findObservation(deps, newId);
  if (!successor.ok) return successor;
  const { id, namespace } = old.value;
  if (id === successor.value.id) return fail({ kind: "same-record", id });
  if (namespace !== successor.value.namespace) {
    return fail({ kind: "other-namespace", id: successor.value.id });
  }
  if (leadsTo(deps, successor.value, id)) {
    return fail({ kind: "superseded-by-it", id: successor.value.id });
  }
  const byOld = scrubFields(deps.scrub, { supersededBy: successor.value.id });
  if (!byOld.ok) return byOld;
  const byNew = scrubFields(deps.scrub, { supersedes: id });
  if (!byNew.ok) return byNew;
  const both = [
    { kind: "set", id, fields: byOld.value },
    { kind: "set", id: successor.value.id, fields: byNew.value },
  ] as const;
  const changed = changes.change(namespace, both, deps.clock.nowMs());
  return changed.ok ? ok({ old: id, new: successor.value.id }) : changed;
}

/** Whether the successors of a record come to `wanted`. */
function leadsTo(deps: MemoryDeps, from: RecordView, wanted: RecordId): boolean {
  const { reads } = deps.store;
  const seen = new Set<string>();
  let next = from.fields["supersededBy"];
  while (typeof next === "string" && next !== wanted && !seen.has(next)) {
    seen.add(next);
    next = reads.get(from.namespace, next as RecordId)?.fields["supersededBy"];
  }
  return next === wanted;
}
