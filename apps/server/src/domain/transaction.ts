import { fail, type NamespaceId, type Result } from "@tidemark/protocol";
import type { NamespaceReader, NamespaceWriter, Store } from "../store/port.ts";
import { StoreUnavailable } from "../store/store-unavailable.ts";
import { unavailable, type SyncError } from "./sync-error.ts";
import { TransactionTooLarge } from "./transaction-too-large.ts";

/** Runs a write; a missing namespace, too much to read and a database that is away become values. */
export function inWrite<T>(
  store: Store,
  namespace: NamespaceId,
  work: (tx: NamespaceWriter) => Promise<Result<T, SyncError>>,
): Promise<Result<T, SyncError>> {
  return asResult(() => store.writeNamespace(namespace, work));
}

/** Runs a read on one snapshot; failures become values as in {@link inWrite}. */
export function inRead<T>(
  store: Store,
  namespace: NamespaceId,
  work: (tx: NamespaceReader) => Promise<Result<T, SyncError>>,
): Promise<Result<T, SyncError>> {
  return asResult(() => store.readNamespace(namespace, work));
}

async function asResult<T>(
  run: () => Promise<Result<T, SyncError> | undefined>,
): Promise<Result<T, SyncError>> {
  try {
    return (await run()) ?? fail({ kind: "not-found" });
  } catch (error) {
    if (error instanceof StoreUnavailable) return fail(unavailable);
    if (error instanceof TransactionTooLarge) return fail({ kind: "too-large" });
    throw error;
  }
}
