import { fail, ok, type NamespaceId, type RecordId, type Result } from "@tidemark/protocol";
import type { ChangeError } from "../store/local-store.ts";
import type { Changed, FindError } from "../store/store.ts";
import type { MemoryDeps } from "./deps.ts";

/** Why a record was not forgotten. */
export type ForgetError =
  | FindError
  | ChangeError
  | { readonly kind: "not-author"; readonly id: RecordId; readonly namespace: NamespaceId };

/**
 * Erases a record for ever, here at once and on every replica with the next syncs (TB). What the
 * server would refuse is refused here (NS19), before anything is gone from this device's view.
 */
export function forgetRecord(deps: MemoryDeps, idOrPrefix: string): Result<Changed, ForgetError> {
  const found = deps.store.reads.find(idOrPrefix);
  if (!found.ok) return found;
  const { id, namespace } = found.value;
  if (!deps.store.reads.mayForget(namespace, id))
    return fail({ kind: "not-author", id, namespace });
  const change = { kind: "forget", id } as const;
  const changed = deps.store.changes.change(namespace, [change], deps.clock.nowMs());
  if (!changed.ok) return changed;
  const [only] = changed.value;
  return only === undefined ? fail({ kind: "unknown-record", id }) : ok(only);
}
