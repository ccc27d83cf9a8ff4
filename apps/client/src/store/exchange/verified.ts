import {
  isSameSet,
  isTombstone,
  registersOfOp,
  type RecordId,
  type SetDigest,
} from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { readConfirmed, readConfirmedRows } from "../records/confirmed.ts";
import { acknowledgedOps, deleteOp, isEchoOf, outboxOpOf } from "../records/outbox.ts";
import { addPast } from "../records/past.ts";
import type { OutboxRow, ReplicaRow } from "../rows.ts";
import { isAheadNotice } from "./notices.ts";

/** Compares a replica at the head with what the server holds there (PL21); unequal, a heal is due. */
export function verifySet(context: StoreContext, replica: ReplicaRow, server: SetDigest): boolean {
  const isEqual = isSameSet({ digest: replica.digest, count: replica.count }, server);
  replica.verified = isEqual ? 1 : 0;
  if (!isEqual) {
    replica.heal_why ??= "digest";
    return false;
  }
  replica.synced_at = context.clock.nowMs();
  if (isAheadNotice(replica.notice)) replica.notice = null;
  return true;
}

/** Ops that are read at once: their lines may have 64 KB each. */
const opsAtOnce = 500;

/**
 * Takes the ops that the server had consumed out of the outbox, for what they did is part of the
 * verified set (OP19). Gives the records whose view that may change.
 */
export function dropVerified(
  context: StoreContext,
  replica: ReplicaRow,
  acked: number,
): ReadonlySet<RecordId> {
  const touched = new Set<RecordId>();
  let after = 0;
  for (;;) {
    const rows = acknowledgedOps(context, replica, { after, upTo: acked, limit: opsAtOnce });
    const last = rows.at(-1);
    if (last === undefined) return touched;
    const ids = rows.map(({ record }) => record);
    const confirmed = readConfirmedRows(context, replica.namespace, ids);
    for (const op of rows) {
      deleteOp(context, op);
      const row = confirmed.get(op.record);
      if (row !== undefined && isEchoOf(op, row)) continue;
      keepAsPast(context, op);
      touched.add(op.record as RecordId);
    }
    after = last.n;
  }
}

// A value of ours that a later change replaced before any pull showed it was current here all the
// same; without it a heal would take the later one for a race.
function keepAsPast(context: StoreContext, row: OutboxRow): void {
  const { op, writer } = outboxOpOf(row);
  const state = readConfirmed(context, row.namespace, row.record)?.state;
  if (op.op === "forget" || state === undefined || isTombstone(state)) return;
  for (const [field, register] of Object.entries(registersOfOp(op, writer))) {
    const { clock } = state.registers[field] ?? register;
    if (clock.lamport === op.lamport && clock.writer === writer) continue;
    addPast(context, row.namespace, [{ record: op.record, field, register }]);
  }
}
