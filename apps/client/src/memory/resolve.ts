import {
  collections,
  fail,
  ok,
  type JsonValue,
  type RecordId,
  type Result,
  type ValueError,
} from "@tidemark/protocol";
import type { ChangeError, ConflictView } from "../store/local-store.ts";
import type { FindError } from "../store/store.ts";
import type { MemoryDeps } from "./deps.ts";
import { scrubFields } from "./scrub-content.ts";

/** Which value a person wants: the one that stands, the one that lost, or a third. */
export type Resolution =
  | { readonly keep: "current" }
  | { readonly keep: "losing" }
  | { readonly keep: "other"; readonly value: JsonValue };

/** Why a conflict was not resolved; it stays. */
export type ResolveError =
  | FindError
  | ChangeError
  | ValueError
  | { readonly kind: "not-a-conflict"; readonly id: RecordId }
  | { readonly kind: "changed-since"; readonly id: RecordId };

/**
 * Resolves a conflict (CP64): sets the field where the value that stands is not the one wanted, and
 * forgets the conflict's record, in one step.
 *
 * @param isShown whether the value that stands is the one that the person chose by: another one, which
 *   came since, is not settled away unseen (DA24)
 */
export function resolveConflict(
  deps: MemoryDeps,
  idOrPrefix: string,
  resolution: Resolution,
  isShown?: (current: JsonValue) => boolean,
): Result<{ readonly record: RecordId; readonly field: string }, ResolveError> {
  const { changes } = deps.store;
  const found = findConflict(deps.store.reads, idOrPrefix);
  if (!found.ok) return found;
  const conflict = found.value;
  const { id, namespace, record, field } = conflict;
  if (isShown?.(conflict.current) === false) return fail({ kind: "changed-since", id });
  const forget = { kind: "forget", id } as const;
  if (resolution.keep === "current") {
    const changed = changes.change(namespace, [forget], deps.clock.nowMs());
    return changed.ok ? ok({ record, field }) : changed;
  }
  const value = resolution.keep === "losing" ? conflict.value : resolution.value;
  const fields = scrubFields(deps.scrub, { [field]: value });
  if (!fields.ok) return fields;
  const wanted = [{ kind: "set", id: record, fields: fields.value } as const, forget];
  const changed = changes.change(namespace, wanted, deps.clock.nowMs());
  return changed.ok ? ok({ record, field }) : changed;
}

/** The open conflict of an id, or of its first characters. */
export function findConflict(
  reads: Pick<MemoryDeps["store"]["reads"], "find" | "conflict">,
  idOrPrefix: string,
): Result<ConflictView, FindError | { readonly kind: "not-a-conflict"; readonly id: RecordId }> {
  const found = reads.find(idOrPrefix, { collection: collections.conflict });
  if (!found.ok) return found;
  const { id, namespace } = found.value;
  const conflict = reads.conflict(namespace, id);
  return conflict === undefined ? fail({ kind: "not-a-conflict", id }) : ok(conflict);
}
