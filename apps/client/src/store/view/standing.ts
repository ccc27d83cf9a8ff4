import { generationsMax, isEncryptedId, type RecordId, type RecordState } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { readConfirmedHead } from "../records/confirmed.ts";
import { opHeadsOfRecord } from "../records/outbox.ts";
import { ringOf } from "../sealed/key-rows.ts";

/** What others need of a record that stands above them: nothing of its fields, which may be large. */
export interface Standing {
  readonly isForgotten: boolean;
  readonly collection: string;
  readonly parent: RecordId | undefined;
}

/** How a record stands in its view, as `ownView` shows it; undefined where it shows none. */
export function standingOf(
  context: StoreContext,
  namespace: string,
  id: string,
): Standing | undefined {
  // In the order of `ownView`: an op that leaves the outbox meanwhile is confirmed by then.
  const ops = opHeadsOfRecord(context, namespace, id);
  let standing = confirmedStanding(context, namespace, id);
  for (const { op, collection, parent } of ops) {
    if (op === "forget") standing = { isForgotten: true, collection, parent: undefined };
    // What is there already, forgotten too, stays what and where it is.
    else if (op === "put") standing ??= standingIn(collection, parent);
  }
  return standing;
}

function confirmedStanding(
  context: StoreContext,
  namespace: string,
  id: string,
): Standing | undefined {
  const head = readConfirmedHead(context, namespace, id);
  if (head === undefined) return undefined;
  const { collection, parent, forgotten } = head;
  if (forgotten === 1) return { isForgotten: true, collection, parent: undefined };
  // What is sealed and does not open is not shown (EE4).
  const isClosed = isEncryptedId(namespace) && ringOf(context, namespace) === undefined;
  return isClosed ? undefined : standingIn(collection, parent);
}

function standingIn(collection: string, parent: string | null): Standing {
  return { isForgotten: false, collection, parent: (parent ?? undefined) as RecordId | undefined };
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
