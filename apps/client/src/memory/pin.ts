import { collections, fail, ok, type JsonObject, type Result } from "@tidemark/protocol";
import { reviewOf } from "../store/reads/review.ts";
import type { Changed } from "../store/store.ts";
import type { MemoryDeps } from "./deps.ts";
import { setFields, type EditError } from "./edit.ts";
import { scrubFields } from "./scrub-content.ts";

/** Below this trust a record is shown only after a person has reviewed it. */
const shownTrustMin = 2;

/**
 * Keeps an observation in every session's context. A person who pins one has reviewed it, which
 * shows it whatever its origin (RC13); a model that does has not.
 */
export function pinObservation(
  deps: MemoryDeps,
  idOrPrefix: string,
  by: "user" | "agent" = "user",
): Result<Changed, EditError> {
  const found = deps.store.reads.find(idOrPrefix, { collection: collections.observation });
  const isPinned = found.ok && found.value.fields["pinned"] === true;
  // Already kept: a model's pin takes nothing from the person's review.
  if (by === "agent" && isPinned) return setFields(deps, idOrPrefix, { pinned: true });
  if (by === "agent" || !found.ok) {
    return setFields(deps, idOrPrefix, { pinned: true, pinnedOrigin: by });
  }
  const { fields: known, trust } = found.value;
  const pinnedOf = reviewOf(deps.sha256, known);
  const fields = { pinned: true, pinnedOrigin: by, pinnedOf };
  // Whose pin it is follows from who set each of its fields, and what is set already stays theirs.
  const isOthers = isPinned ? trust < shownTrustMin : known["pinnedOrigin"] === by;
  return isOthers ? pinAnew(deps, found.value, fields) : setFields(deps, idOrPrefix, fields);
}

/** Undoes {@link pinObservation}. */
export function unpinObservation(deps: MemoryDeps, id: string): Result<Changed, EditError> {
  return setFields(deps, id, { pinned: false });
}

/** Setting what is set makes no op, so a pin that is somebody else's is taken off first. */
function pinAnew(
  deps: MemoryDeps,
  { id, namespace }: Pick<Changed, "id" | "namespace">,
  fields: JsonObject,
): Result<Changed, EditError> {
  const off = scrubFields(deps.scrub, {
    pinned: false,
    pinnedOrigin: null,
    pinnedOf: null,
  });
  if (!off.ok) return off;
  const on = scrubFields(deps.scrub, fields);
  if (!on.ok) return on;
  const changes = [
    { kind: "set", id, fields: off.value },
    { kind: "set", id, fields: on.value },
  ] as const;
  const changed = deps.store.changes.change(namespace, changes, deps.clock.nowMs());
  if (!changed.ok) return changed;
  const last = changed.value.at(-1);
  return last === undefined ? fail({ kind: "unknown-record", id }) : ok(last);
}

/** Hides an observation from lists, search and context; nothing is lost. */
export function archiveObservation(deps: MemoryDeps, id: string): Result<Changed, EditError> {
  return setFields(deps, id, { archived: true });
}

/** Undoes {@link archiveObservation}. */
export function unarchiveObservation(deps: MemoryDeps, id: string): Result<Changed, EditError> {
  return setFields(deps, id, { archived: false });
}
