import {
  compareClocks,
  isSameSet,
  isTombstone,
  registersOfOp,
  type LiveRecord,
  type RecordId,
  type Registers,
  type SetDigest,
} from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { readConfirmed, readConfirmedRows } from "../records/confirmed.ts";
import { acknowledgedOps, deleteOp, isEchoOf, markOp, outboxOpOf } from "../records/outbox.ts";
import { tidyOwnWrites } from "../records/own-writes.ts";
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
 * verified set (OP19). One that is not is kept as refused: the server said that it has what it has not
 * (AU62). Gives the records whose view that may change.
 */
export function dropVerified(
  context: StoreContext,
  replica: ReplicaRow,
  acked: number,
): ReadonlySet<RecordId> {
  const touched = dropConsumed(context, replica, acked);
  tidyOwnWrites(context, replica.namespace);
  return touched;
}

function dropConsumed(
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
      const row = confirmed.get(op.record);
      if (row !== undefined && isEchoOf(op, row)) deleteOp(context, op);
      else {
        dropOp(context, op);
        touched.add(op.record as RecordId);
      }
    }
    if (rows.length < opsAtOnce) return touched;
    after = last.n;
  }
}

function dropOp(context: StoreContext, row: OutboxRow): void {
  const { op, writer } = outboxOpOf(row);
  const state = readConfirmed(context, row.namespace, row.record)?.state;
  if (state !== undefined && isTombstone(state)) {
    deleteOp(context, row);
    return;
  }
  const registers = op.op === "forget" ? {} : registersOfOp(op, writer);
  if (state === undefined || op.op === "forget" || !isAtLeast(state, registers)) {
    markOp(context, row, "rejected", "not-kept");
    return;
  }
  deleteOp(context, row);
  keepAsPast(context, row, state, registers);
}

/** Whether a state has each field under the clock of these registers or a later one. */
function isAtLeast(state: LiveRecord, registers: Registers): boolean {
  return Object.entries(registers).every(([field, { clock }]) => {
    const held = state.registers[field];
    return held !== undefined && compareClocks(held.clock, clock) >= 0;
  });
}

// A value of ours that a later change replaced before any pull showed it was current here all the
// same; without it a heal would take the later one for a race.
function keepAsPast(
  context: StoreContext,
  { namespace, record }: OutboxRow,
  state: LiveRecord,
  registers: Registers,
): void {
  for (const [field, register] of Object.entries(registers)) {
    const { clock } = state.registers[field] ?? register;
    if (compareClocks(clock, register.clock) === 0) continue;
    addPast(context, namespace, [{ record: record as RecordId, field, register }]);
  }
}
