import type { NamespaceId, RecordId } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { confirmedBytes } from "../records/confirmed.ts";

/** Where a record stands. */
export interface Named {
  readonly namespace: NamespaceId;
  readonly record: RecordId;
}

/**
 * Of some records as many as fit into so many bytes, in their order; the largest are left out (ST25).
 * A note has a few kilobytes; what has a megabyte was made so by whoever wants others to read it.
 */
export function withinBytes<Each extends Named>(
  context: StoreContext,
  rows: readonly Each[],
  { bytesMax }: { readonly bytesMax?: number | undefined },
): readonly Each[] {
  if (bytesMax === undefined || rows.length === 0) return rows;
  const sizes = new Map(
    rows.map((row) => [row, confirmedBytes(context, row.namespace, row.record)]),
  );
  const smallestFirst = [...sizes].toSorted(([, left], [, right]) => left - right);
  const fitting = new Set<Each>();
  let left = bytesMax;
  for (const [row, size] of smallestFirst) {
    left -= size;
    if (left < 0) break;
    fitting.add(row);
  }
  return rows.filter((row) => fitting.has(row));
}
