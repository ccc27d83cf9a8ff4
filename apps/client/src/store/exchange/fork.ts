import { restampOps, type ForkCause, type OutboxOp, type RecordId } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { deleteOp, insertOp, opsInState, rowOf } from "../records/outbox.ts";
import { mintWriter } from "../records/replicas.ts";
import type { OutboxRow, ReplicaRow } from "../rows.ts";
import { setClosedAside } from "../sealed/closed-ops.ts";
import { createSealer, openedOpOf } from "../sealed/sealed-ops.ts";
import { refreshTrees } from "../view/projection.ts";
import { forkNotice } from "./notices.ts";

/**
 * The one cure of every fork (CH11): a new writer, and unsent and unverified ops stamped again
 * under it with the lamports they have. Rejected ops stay as they are: they were answered.
 */
export function restartWriter(context: StoreContext, replica: ReplicaRow, cause: ForkCause): void {
  const count = renewWriter(context, replica);
  replica.notice = forkNotice(cause, count);
  if (cause === "server-restored") replica.heal_why ??= cause;
}

/** Starts a new writer, whose ops are to be seen again; gives how many ops go under it. */
export function renewWriter(context: StoreContext, replica: ReplicaRow): number {
  const count = restampOutbox(context, replica);
  replica.verified = 0;
  return count;
}

/**
 * Puts unsent and unverified ops under a new writer; gives how many there are.
 *
 * @param stamp what becomes of each op before it is numbered, such as a new lamport
 */
export function restampOutbox(
  context: StoreContext,
  replica: ReplicaRow,
  stamp: (rows: readonly OutboxRow[]) => readonly OutboxOp[] = (rows) =>
    rows.map((row) => openedOpOf(context, row)),
): number {
  const found = opsInState(context, replica.namespace, "pending", "acked", "unknown");
  const rows = setClosedAside(context, replica, found);
  const ops = stamp(rows);
  const writer = mintWriter(context, replica);
  for (const row of rows) deleteOp(context, row);
  // A seal names its writer, so each op is sealed anew (EE11); one that was made without a key waits as it is.
  const seal = createSealer(context, { namespace: replica.namespace, writer });
  for (const { op, line, chain } of restampOps(context.sha256, writer, ops, seal)) {
    insertOp(context, {
      ...rowOf(op),
      namespace: replica.namespace,
      writer,
      line,
      chain,
      state: "pending",
      code: null,
      reissued: 0,
    });
    replica.made = op.n;
    replica.chain = chain;
  }
  refreshTrees(context, replica.namespace, new Set(found.map(({ record }) => record as RecordId)));
  return rows.length;
}
