import {
  generationsMax,
  isEncryptedId,
  type Op,
  type RecordId,
  type RecordState,
} from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { ringOf } from "../sealed/key-rows.ts";

/** What others need of a record that stands above them: nothing of its fields, which may be large. */
export interface Standing {
  readonly isForgotten: boolean;
  readonly collection: string;
  readonly parent: RecordId | undefined;
}

interface ConfirmedRow {
  readonly collection: string;
  readonly parent: RecordId | null;
  readonly forgotten: number;
}

interface LaidOver {
  readonly op: Op["op"];
  readonly collection: string;
  readonly parent: RecordId | null;
}

/**
 * How a record stands in its view, as `ownView` shows it; undefined where it shows none. Of a row in
 * SQLite what lies behind a large value costs nothing to read where it is 0, 1 or NULL.
 */
export function standingOf(
  context: StoreContext,
  namespace: string,
  id: string,
): Standing | undefined {
  // In the order of `ownView`: an op that leaves the outbox meanwhile is confirmed by then.
  const ops = context.db.all<LaidOver>(
    `SELECT op, collection, parent FROM outbox
     WHERE namespace = ? AND record = ? ORDER BY lamport, n`,
    namespace,
    id,
  );
  let standing = confirmedStanding(context, namespace, id);
  for (const { op, collection, parent } of ops) {
    if (standing?.isForgotten === true) break;
    if (op === "forget") standing = { isForgotten: true, collection, parent: undefined };
    else if (op === "put")
      standing ??= { isForgotten: false, collection, parent: parent ?? undefined };
  }
  return standing;
}

function confirmedStanding(
  context: StoreContext,
  namespace: string,
  id: string,
): Standing | undefined {
  const row = context.db.get<ConfirmedRow>(
    "SELECT collection, parent, forgotten FROM records WHERE namespace = ? AND id = ?",
    namespace,
    id,
  );
  if (row === undefined) return undefined;
  const { collection } = row;
  if (row.forgotten === 1) return { isForgotten: true, collection, parent: undefined };
  // What is sealed and does not open is not shown (EE4).
  const isClosed = isEncryptedId(namespace) && ringOf(context, namespace) === undefined;
  return isClosed ? undefined : { isForgotten: false, collection, parent: row.parent ?? undefined };
}

/** Whether a record that is there itself went with one above it (OP14). */
export function hasForgottenParent(
  context: StoreContext,
  namespace: string,
  state: RecordState | Standing,
): boolean {
  let parent = "parent" in state ? state.parent : undefined;
  for (let level = 0; parent !== undefined && level < generationsMax; level += 1) {
    const above = standingOf(context, namespace, parent);
    if (above === undefined) return false;
    if (above.isForgotten) return true;
    parent = above.parent;
  }
  return false;
}

/** Whether a record of a collection is shown; reads nothing of its fields. */
export function isShownIn(
  context: StoreContext,
  { namespace, collection }: { readonly namespace: string; readonly collection: string },
  id: string,
): boolean {
  const standing = standingOf(context, namespace, id);
  if (standing === undefined || standing.isForgotten) return false;
  return standing.collection === collection && !hasForgottenParent(context, namespace, standing);
}
