import type { RecordId } from "./ids.ts";
import { isTombstone, type RecordState } from "./record.ts";

/**
 * How many generations a forget reaches down, and a view looks up (OP24). A family has two and the
 * conflicts of either; deeper is only what somebody piled up from its end, where no parent was known.
 * Without a bound, one member's chain of a hundred thousand records would be walked for each of them
 * by everybody's devices.
 */
export const generationsMax = 4;

/** Whether a new record may stand under the parent that it names, where that is known. */
export function mayStandUnder(
  { record, parent }: { readonly record: RecordId; readonly parent?: RecordId | undefined },
  above: RecordState | undefined,
): boolean {
  if (parent === record) return false;
  return above === undefined || isTombstone(above) || above.parent === undefined;
}
