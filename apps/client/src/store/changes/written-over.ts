import { isTombstone, type Op } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { opsOfRecord } from "../records/outbox.ts";
import type { OutboxRow } from "../rows.ts";
import type { ScrubbedFields } from "../scrubbed-fields.ts";
import { openedOpOf } from "../sealed/sealed-ops.ts";
import { viewOf } from "../view/view.ts";

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
  const said = lamportsOf(rows.map((row) => openedOpOf(context, row).op));
  const since = writtenSince(context, last);
  const left = Object.entries(fields).filter(
    ([field]) => (since.get(field) ?? 0) <= (said.get(field) ?? 0),
  );
  return Object.fromEntries(left);
}

/** When this device wrote what stands in each field of the record, be it refused or not. */
function writtenSince(
  context: StoreContext,
  { namespace, record }: OutboxRow,
): ReadonlyMap<string, number> {
  const state = viewOf(context, namespace, record)?.state;
  // Where its put is among what was taken out, what was written to it is not shown.
  if (state === undefined) {
    return lamportsOf(
      opsOfRecord(context, namespace, record).map((row) => openedOpOf(context, row).op),
    );
  }
  if (isTombstone(state)) return new Map();
  const own = ownWriters(context, namespace);
  const registers = Object.entries(state.registers).filter(([, { clock }]) =>
    own.has(clock.writer),
  );
  return new Map(registers.map(([field, { clock }]) => [field, clock.lamport]));
}

/** Under which writers this store has written: each fork and each pairing began another. */
function ownWriters(context: StoreContext, namespace: string): ReadonlySet<string> {
  const rows = context.db.all<{ writer: string }>(
    "SELECT writer FROM writers WHERE namespace = ? AND own = 1",
    namespace,
  );
  return new Set(rows.map(({ writer }) => writer));
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
