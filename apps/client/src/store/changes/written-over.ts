import { isTombstone } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { readReplica } from "../records/replicas.ts";
import type { OutboxRow } from "../rows.ts";
import type { ScrubbedFields } from "../scrubbed-fields.ts";
import { viewOf } from "../view/view.ts";

/**
 * Of values that ops said, and which are to be said anew, those over which this device has written
 * nothing since. Whoever wrote over the others had seen them, and wants them no more (OP26, OP27). The
 * ops are out of the outbox by then.
 */
export function notWrittenOver(
  context: StoreContext,
  rows: readonly OutboxRow[],
  fields: ScrubbedFields,
): ScrubbedFields {
  const last = rows.at(-1);
  if (last === undefined) return fields;
  const state = viewOf(context, last.namespace, last.record)?.state;
  if (state === undefined || isTombstone(state)) return fields;
  const writer = readReplica(context, last.namespace)?.writer;
  const own = new Set([writer, ...rows.map((row) => row.writer)]);
  const left = Object.entries(fields).filter(([field]) => {
    const clock = state.registers[field]?.clock;
    return clock === undefined || clock.lamport <= last.lamport || !own.has(clock.writer);
  });
  return Object.fromEntries(left);
}
