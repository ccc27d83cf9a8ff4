import {
  fail,
  ok,
  type DeviceId,
  type NamespaceId,
  type RecordId,
  type Result,
} from "@tidemark/protocol";
import type { Revision, RevisionsAnswer } from "@tidemark/protocol/wire";
import type { RevisionRow } from "../store/port.ts";
import type { SyncDeps } from "./sync-deps.ts";
import type { SyncError } from "./sync-error.ts";
import { inRead } from "./transaction.ts";

/** Whose history is asked for. */
export interface RevisionsRequest {
  readonly namespace: NamespaceId;
  readonly device: DeviceId;
  readonly record: RecordId;
}

/** Gives the values that a record's fields once had, newest first; none for an unknown record. */
export function revisions(
  deps: Pick<SyncDeps, "store">,
  request: RevisionsRequest,
): Promise<Result<RevisionsAnswer, SyncError>> {
  return inRead(deps.store, request.namespace, async (tx) => {
    const [access, rows] = await Promise.all([
      tx.access(request.device),
      tx.revisions(request.record),
    ]);
    if (access === undefined) return fail({ kind: "not-found" });
    const named = rows.flatMap((row) => [row.writer, row.replacedByWriter]);
    return ok({
      revisions: rows.map(revisionOfRow),
      writers: await tx.writers([...new Set(named)]),
    });
  });
}

function revisionOfRow(row: RevisionRow): Revision {
  const { field, lamport, writer, at } = row;
  return {
    field,
    value: JSON.parse(row.value) as unknown,
    lamport,
    writer,
    at,
    replacedBy: { lamport: row.replacedByLamport, writer: row.replacedByWriter },
  };
}
