import { limits, type BaseEntry, type Op, type OutboxOp } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { highestConfirmedLamport } from "../records/confirmed.ts";
import { dropOwnWrites } from "../records/own-writes.ts";
import type { OutboxRow, ReplicaRow } from "../rows.ts";
import { openedOpOf } from "../sealed/sealed-ops.ts";
import { restampOutbox } from "./fork.ts";

/**
 * Repair of a damaged clock (CK4): unsent ops get lamports from the highest confirmed one on, under
 * a new writer, since their lines change. Nothing else ever changes an op's lamport.
 */
export function restampLamports(context: StoreContext, replica: ReplicaRow): void {
  replica.lamport = highestConfirmedLamport(context, replica.namespace);
  dropOwnWrites(context, replica.namespace);
  restampOutbox(context, replica, (rows) => withNewLamports(context, replica, rows));
}

function withNewLamports(
  context: StoreContext,
  replica: ReplicaRow,
  rows: readonly OutboxRow[],
): readonly OutboxOp[] {
  for (const { state, lamport } of rows) {
    if (state === "acked") replica.lamport = Math.max(replica.lamport, lamport);
  }
  const newByOld = new Map<string, number>();
  return rows.map((row) => {
    const { op, writer } = openedOpOf(context, row);
    const moved = withMovedBase(op, newByOld);
    if (row.state === "acked") return { op: moved, writer };
    replica.lamport = Math.min(replica.lamport + 1, limits.lamportMax);
    newByOld.set(stampOf(op.lamport, writer), replica.lamport);
    return { op: { ...moved, lamport: replica.lamport }, writer };
  });
}

function withMovedBase(op: Op, newByOld: ReadonlyMap<string, number>): Op {
  if (op.op !== "set") return op;
  const base: Record<string, BaseEntry> = {};
  for (const [field, entry] of Object.entries(op.base)) {
    const lamport = entry === null ? undefined : newByOld.get(stampOf(entry[0], entry[1]));
    base[field] = entry === null || lamport === undefined ? entry : [lamport, entry[1], entry[2]];
  }
  return { ...op, base };
}

function stampOf(lamport: number, writer: string): string {
  return `${lamport}.${writer}`;
}
