import type { Suspect } from "@tidemark/protocol/wire";
import type { StoreContext } from "../context.ts";
import { readSuspects, replaceSuspects } from "../records/suspects.ts";
import type { SuspectRow } from "../rows.ts";
import { wordsOf } from "../view/hidden.ts";
import { refreshViews } from "../view/projection.ts";

type Row = Omit<SuspectRow, "namespace">;

/**
 * Takes the quarantines of a namespace as `hello` tells them, all of them (QU4), and hides or shows
 * what they concern at once. Nothing is touched where nothing changed.
 */
export function takeSuspects(
  context: StoreContext,
  namespace: string,
  told: readonly Suspect[],
): void {
  const before = readSuspects(context, namespace);
  const after = told
    .filter((one) => one.namespace === namespace)
    .map(({ device, aboveSeq, since }) => ({ device, above: aboveSeq, since }));
  const changed = changedRows(before, after);
  if (changed.length === 0) return;
  replaceSuspects(context, namespace, after);
  refreshViews(context, namespace, wordsOf(context, namespace, changed));
}

function changedRows(before: readonly Row[], after: readonly Row[]): readonly Row[] {
  const isIn = (rows: readonly Row[], row: Row): boolean =>
    rows.some(
      ({ device, above, since }) =>
        device === row.device && above === row.above && since === row.since,
    );
  const gone = before.filter((row) => !isIn(after, row));
  return [...gone, ...after.filter((row) => !isIn(before, row))];
}
