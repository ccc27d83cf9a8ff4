import {
  chainNext,
  chainStart,
  opLine,
  type BaseEntry,
  type Op,
  type RecordId,
  type WriterId,
} from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { highestConfirmedLamport } from "../records/confirmed.ts";
import { deleteOp, insertOp, opsInState, readOp } from "../records/outbox.ts";
import { moveOwnWrites, type MovedLamports } from "../records/own-writes.ts";
import type { OutboxRow, ReplicaRow } from "../rows.ts";
import { isClosedOp } from "../sealed/closed-ops.ts";
import { createSealer, openedOpOf } from "../sealed/sealed-ops.ts";
import { refreshTrees } from "../view/projection.ts";
import { restampOutbox } from "./fork.ts";

/**
 * Repair of a damaged clock (CK4): what stands beyond the highest confirmed lamport is counted on from
 * there, in its order; unsent ops go under a new writer, since their lines change. Refused ops are
 * counted among them: with the lamports they had, they would stand over whatever is written from now
 * on. Nothing else ever changes an op's lamport.
 */
export function restampLamports(context: StoreContext, replica: ReplicaRow): void {
  const { namespace } = replica;
  replica.lamport = highestConfirmedLamport(context, namespace);
  const touched = new Set<RecordId>();
  restampOutbox(context, replica, (rows) => {
    const refused = opsInState(context, namespace, "rejected").filter(
      (row) => !isClosedOp(context, row),
    );
    const moved = countOn(replica, rows, refused);
    moveOwnWrites(context, namespace, moved);
    moveRefused(context, refused, moved);
    for (const { record } of refused) touched.add(record as RecordId);
    return rows.map((row) => {
      const { op, writer } = openedOpOf(context, row);
      return { op: withMovedClocks(op, moved.byOld), writer };
    });
  });
  refreshTrees(context, namespace, touched);
}

// None becomes higher than it was, so that none gets beyond the last there is.
function countOn(
  replica: ReplicaRow,
  rows: readonly OutboxRow[],
  refused: readonly OutboxRow[],
): MovedLamports {
  for (const { state, lamport } of rows) {
    if (state === "acked") replica.lamport = Math.max(replica.lamport, lamport);
  }
  const kept = replica.lamport;
  const lamports = new Set([...rows, ...refused].map(({ lamport }) => lamport));
  const byOld = new Map<number, number>();
  for (const lamport of [...lamports].toSorted((one, other) => one - other)) {
    if (lamport <= kept) continue;
    replica.lamport += 1;
    byOld.set(lamport, replica.lamport);
  }
  return { kept, byOld };
}

// Their lines were answered and are not sent again; under the writer they have they still open.
function moveRefused(
  context: StoreContext,
  refused: readonly OutboxRow[],
  { byOld }: MovedLamports,
): void {
  for (const row of refused.toSorted((one, other) => one.n - other.n)) {
    const { namespace, n } = row;
    const writer = row.writer as WriterId;
    const op = withMovedClocks(openedOpOf(context, row).op, byOld);
    const line = opLine({ ...createSealer(context, { namespace, writer })(op), n });
    const before = n === 1 ? chainStart(context.sha256, writer) : chainBefore(context, row);
    const chain = before === undefined ? row.chain : chainNext(context.sha256, before, line);
    deleteOp(context, row);
    insertOp(context, { ...row, lamport: op.lamport, line, chain });
  }
}

function chainBefore(context: StoreContext, row: OutboxRow): string | undefined {
  return readOp(context, { ...row, n: row.n - 1 })?.chain;
}

function withMovedClocks<T extends Op>(op: T, byOld: MovedLamports["byOld"]): T {
  const moved = { ...op, lamport: byOld.get(op.lamport) ?? op.lamport };
  if (moved.op !== "set") return moved;
  const base: Record<string, BaseEntry> = {};
  for (const [field, entry] of Object.entries(moved.base)) {
    const lamport = entry === null ? undefined : byOld.get(entry[0]);
    base[field] = entry === null || lamport === undefined ? entry : [lamport, entry[1], entry[2]];
  }
  return { ...moved, base };
}
