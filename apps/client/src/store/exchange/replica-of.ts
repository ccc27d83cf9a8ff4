import type { NamespaceId, WriterId } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { stateSql } from "../records/outbox.ts";
import type { Replica } from "../replica-store.ts";
import type { OutboxRow, ReplicaRow } from "../rows.ts";

/** A namespace of this device as it is shown. */
export function replicaOf(context: StoreContext, row: ReplicaRow): Replica {
  // Counting reads the whole outbox, and most who look at a replica ask for something else.
  let counts: ReadonlyMap<OutboxRow["state"], number> | undefined;
  const of = (...states: readonly OutboxRow["state"][]): number => {
    counts ??= countsByState(context, row.namespace);
    return states.reduce((sum, state) => sum + (counts?.get(state) ?? 0), 0);
  };
  return {
    namespace: row.namespace as NamespaceId,
    name: row.name,
    kind: row.kind,
    role: row.role ?? undefined,
    status: row.status,
    writer: (row.writer as WriterId | null) ?? undefined,
    cursor: row.cursor,
    head: row.head,
    confirmed: { digest: row.digest, count: row.count },
    lamport: row.lamport,
    get unsent() {
      return of("pending", "unknown");
    },
    get unverified() {
      return of("acked");
    },
    get rejected() {
      return of("rejected");
    },
    needsHeal: row.heal_why !== null,
    healWhy: row.heal_why ?? undefined,
    verified: row.verified === 1,
    notice: row.notice ?? undefined,
    syncedAtMs: row.synced_at ?? undefined,
  };
}

function countsByState(
  context: StoreContext,
  namespace: string,
): ReadonlyMap<OutboxRow["state"], number> {
  const rows = context.db.all<{ state: OutboxRow["state"]; count: number }>(
    `SELECT ${stateSql} AS state, count(*) AS count FROM outbox WHERE namespace = ? GROUP BY 1`,
    namespace,
  );
  return new Map(rows.map(({ state, count }) => [state, count]));
}
