import type { NamespaceId, RecordId, WriterId } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import type { WaitingOpView } from "../local-store.ts";
import { stateSql } from "../records/outbox.ts";
import type { OutboxRow } from "../rows.ts";

type Row = Pick<OutboxRow, "namespace" | "writer" | "n" | "record" | "op" | "state" | "code">;

/**
 * The outbox of every namespace that is synced or will be: refused ops first, as they alone wait
 * for a person, then by namespace in the order in which they were made.
 *
 * @param limit at most so many; undefined: all
 */
export function waitingOps(
  context: StoreContext,
  limit: number | undefined,
): readonly WaitingOpView[] {
  const rows = context.db.all<Row>(
    `SELECT outbox.namespace, outbox.writer, n, record, op, ${stateSql} AS state, code
     FROM outbox JOIN replicas r ON r.namespace = outbox.namespace WHERE r.kind <> 'local'
     ORDER BY outbox.state <> 'rejected', r.kind <> 'personal', r.name, outbox.namespace,
       outbox.lamport, n
     LIMIT ?`,
    limit ?? -1,
  );
  return rows.map((row) => ({
    namespace: row.namespace as NamespaceId,
    record: row.record as RecordId,
    writer: row.writer as WriterId,
    n: row.n,
    op: row.op,
    state: stateByRow[row.state],
    code: row.state === "rejected" ? (row.code ?? "invalid") : null,
  }));
}

/** An op whose record the server did not know waits for a heal, and is then sent anew. */
const stateByRow = {
  pending: "unsent",
  unknown: "unsent",
  acked: "unverified",
  rejected: "rejected",
} as const satisfies Record<OutboxRow["state"], WaitingOpView["state"]>;
