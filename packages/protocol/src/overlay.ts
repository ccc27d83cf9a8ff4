import { compareClocks } from "./clock.ts";
import type { WriterId } from "./ids.ts";
import { registersOfOp, type Op } from "./op.ts";
import {
  isTombstone,
  tombstone,
  type LiveRecord,
  type RecordState,
  type Register,
} from "./record.ts";

/** An op of the outbox, with the writer it was made under. */
export interface OutboxOp {
  readonly op: Op;
  readonly writer: WriterId;
}

/**
 * What a person sees of a record (OP4): confirmed state with the outbox laid over it in order.
 *
 * Unsent, unverified and rejected ops never enter confirmed state; keeping them there made rejected
 * values reach everybody through a heal. On a clock tie the overlay wins. A confirmed tombstone is
 * final: the overlay of a forgotten record shows nothing. A record that is nowhere begins with its
 * put, though that may have been sent again since others were laid over it.
 */
export function overlayState(
  confirmed: RecordState | undefined,
  ops: readonly OutboxOp[],
): RecordState | undefined {
  let view = confirmed;
  for (const entry of confirmed === undefined ? putFirst(ops) : ops) {
    if (view !== undefined && isTombstone(view)) return view;
    view = overlayOp(view, entry);
  }
  return view;
}

function putFirst(ops: readonly OutboxOp[]): readonly OutboxOp[] {
  const first = ops.findIndex(({ op }) => op.op === "put");
  const put = ops[first];
  return put === undefined || first === 0 ? ops : [put, ...ops.toSpliced(first, 1)];
}

function overlayOp(view: LiveRecord | undefined, entry: OutboxOp): RecordState | undefined {
  const { op, writer } = entry;
  if (op.op === "forget") return tombstone(op.record, op.collection);
  if (op.op === "set" && view === undefined) return undefined;
  const registers: Record<string, Register> = { ...view?.registers };
  for (const [field, register] of Object.entries(registersOfOp(op, writer))) {
    const held = registers[field];
    if (held === undefined || compareClocks(register.clock, held.clock) >= 0) {
      registers[field] = register;
    }
  }
  if (view !== undefined) return { ...view, registers };
  const parent = op.op === "put" ? op.parent : undefined;
  return {
    id: op.record,
    collection: op.collection,
    ...(parent === undefined ? {} : { parent }),
    registers,
  };
}
