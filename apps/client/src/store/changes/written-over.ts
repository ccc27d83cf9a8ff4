import { isTombstone, type LiveRecord, type Op } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { opsOfRecord, outboxOpOf } from "../records/outbox.ts";
import { ownWrites } from "../records/own-writes.ts";
import type { OutboxRow } from "../rows.ts";
import type { ScrubbedFields } from "../scrubbed-fields.ts";
import { isClosedOp } from "../sealed/closed-ops.ts";
import { ringOf } from "../sealed/key-rows.ts";
import { openedOpOf } from "../sealed/sealed-ops.ts";
import { viewOf } from "../view/view.ts";
import type { Values } from "./issue.ts";

/**
 * Of values that ops said, and which are to be said anew, those over which this device has written
 * nothing since. Whoever wrote over the others had seen them, and wants them no more (OP26, OP27). The
 * ops are out of the outbox by then. Each field counts from the op that said it last: what is refused
 * for a reason of its own may stand between two ops that become one.
 */
export function notWrittenOver(
  context: StoreContext,
  rows: readonly OutboxRow[],
  fields: ScrubbedFields,
): ScrubbedFields {
  const last = rows.at(-1);
  if (last === undefined) return fields;
  const { namespace, record } = last;
  const state = viewOf(context, namespace, record)?.state;
  // Until its forget is confirmed a change may still be wanted (OP25).
  if (state !== undefined && isTombstone(state)) return fields;
  const said = lamportsOf(rows.map((row) => openedOpOf(context, row).op));
  const written = ownWrites(context, namespace, record);
  const others = opsOfRecord(context, namespace, record);
  // What waits here this store wrote, whatever was noted of it: two lines of clocks may have met.
  const waiting = lamportsOf(others.map((row) => openedOpOf(context, row).op));
  const standing = standingIn(state);
  const isOver = (field: string): boolean => {
    const since = said.get(field) ?? 0;
    if ((waiting.get(field) ?? 0) > since) return true;
    // What was written over it may have been given up: then nothing newer stands there.
    return (written.get(field) ?? 0) > since && (standing.get(field) ?? 0) > since;
  };
  return Object.fromEntries(Object.entries(fields).filter(([field]) => !isOver(field)));
}

/**
 * Whether this device wrote over such values what waits for a key (EE39): said anew they would stand
 * over it once it is sent. A seal hides names, which are compared as they are sealed.
 */
export function isUnderClosed(
  context: StoreContext,
  rows: readonly OutboxRow[],
  { id, fields }: Values,
): boolean {
  const namespace = rows[0]?.namespace ?? "";
  const closed = opsOfRecord(context, namespace, id).filter((row) => isClosedOp(context, row));
  if (closed.length === 0) return false;
  const ring = ringOf(context, namespace);
  const written = lamportsOf(closed.map((row) => outboxOpOf(row).op));
  const said = lamportsOf(rows.map((row) => openedOpOf(context, row).op));
  return Object.keys(fields).some((field) => {
    const names = [field, ring?.fieldId(id, field) ?? field];
    return names.some((name) => (written.get(name) ?? 0) > (said.get(field) ?? 0));
  });
}

/** When what stands in each field of the record was written. */
function standingIn(state: LiveRecord | undefined): ReadonlyMap<string, number> {
  const registers = Object.entries(state?.registers ?? {});
  return new Map(registers.map(([field, { clock }]) => [field, clock.lamport]));
}

/** When each field was said last. */
function lamportsOf(ops: readonly Op[]): ReadonlyMap<string, number> {
  const said = new Map<string, number>();
  for (const op of ops) {
    if (op.op === "forget") continue;
    for (const field of Object.keys(op.fields)) {
      said.set(field, Math.max(op.lamport, said.get(field) ?? 0));
    }
  }
  return said;
}
