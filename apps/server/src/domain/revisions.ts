import {
  fail,
  ok,
  type DeviceId,
  type NamespaceId,
  type RecordId,
  type Result,
} from "@tidemark/protocol";
import type { Revision, RevisionsAnswer } from "@tidemark/protocol/wire";
import { serverLimits } from "../limits.ts";
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

/** Gives the newest values that a record's fields once had (WR41); none for an unknown record. */
export function revisions(
  deps: Pick<SyncDeps, "store">,
  request: RevisionsRequest,
): Promise<Result<RevisionsAnswer, SyncError>> {
  return inRead(deps.store, request.namespace, async (tx) => {
    const [access, { rows, hasMore }] = await Promise.all([
      tx.access(request.device),
      tx.revisions(request.record, serverLimits.revisions),
    ]);
    if (access === undefined) return fail({ kind: "not-found" });
    const named = rows.flatMap((row) => [row.writer, row.replacedByWriter]);
    return ok({
      revisions: rows.map(revisionOfRow),
      writers: await tx.writers([...new Set(named)]),
      ...(hasMore ? { more: true } : {}),
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
