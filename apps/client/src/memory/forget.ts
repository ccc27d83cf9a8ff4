import { fail, ok, type Result } from "@tidemark/protocol";
import type { ChangeError } from "../store/local-store.ts";
import type { Changed, FindError } from "../store/store.ts";
import type { MemoryDeps } from "./deps.ts";

/** Erases a record for ever, here at once and on every replica with the next syncs (TB). */
export function forgetRecord(
  deps: MemoryDeps,
  idOrPrefix: string,
): Result<Changed, FindError | ChangeError> {
  const found = deps.store.reads.find(idOrPrefix);
  if (!found.ok) return found;
  const { id, namespace } = found.value;
  const change = { kind: "forget", id } as const;
  const changed = deps.store.changes.change(namespace, [change], deps.clock.nowMs());
  if (!changed.ok) return changed;
  const [only] = changed.value;
  return only === undefined ? fail({ kind: "unknown-record", id }) : ok(only);
}
