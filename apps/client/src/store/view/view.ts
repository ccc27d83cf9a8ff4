import {
  generationsMax,
  isTombstone,
  overlayState,
  tombstone,
  type LiveRecord,
  type RecordId,
  type RecordState,
} from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { confirmedChildren, readConfirmed } from "../records/confirmed.ts";
import { opsOfRecord, outboxChildren } from "../records/outbox.ts";
import type { OutboxRow } from "../rows.ts";
import { openedState } from "../sealed/opened-state.ts";
import { openedOpOf } from "../sealed/sealed-ops.ts";
import { hasForgottenParent } from "./standing.ts";

/**
 * What a person sees of a record: confirmed state with the outbox laid over it (OP4), all of it
 * opened where the namespace is encrypted.
 */
export interface View {
  readonly state: RecordState;
  readonly confirmed: RecordState | undefined;
  readonly seq: number | null;
  readonly ops: readonly OutboxRow[];
}

/** A view of a record that is there. */
export interface LiveView extends View {
  readonly state: LiveRecord;
}

/** The view of a record; a child of a forgotten parent is forgotten with it at once (OP14). */
export function viewOf(context: StoreContext, namespace: string, id: string): View | undefined {
  const view = ownView(context, namespace, id);
  if (view === undefined || !hasForgottenParent(context, namespace, view.state)) return view;
  return { ...view, state: tombstone(view.state.id, view.state.collection) };
}

/** The view of a record that is known to have no forgotten parent, such as an indexed one. */
export function ownView(context: StoreContext, namespace: string, id: string): View | undefined {
  // In this order another process cannot hide a value between the two reads: an op that leaves the
  // outbox is confirmed by then.
  const ops = opsOfRecord(context, namespace, id);
  const row = readConfirmed(context, namespace, id);
  const confirmed = openedState(context, namespace, row?.state);
  const state =
    ops.length === 0
      ? confirmed
      : overlayState(
          confirmed,
          ops.map((op) => openedOpOf(context, op)),
        );
  if (state === undefined) return undefined;
  return { state, confirmed, seq: row?.seq ?? null, ops };
}

/** Whether a view shows a record that is there. */
export function isLiveView(view: View | undefined): view is LiveView {
  return view !== undefined && !isTombstone(view.state);
}

/** The records below a record, as far down as a forget reaches, confirmed ones and unsent. */
export function descendantsOf(
  context: StoreContext,
  namespace: string,
  id: string,
): readonly RecordId[] {
  const found = new Set<RecordId>();
  let parents: readonly string[] = [id];
  for (let level = 0; level < generationsMax; level += 1) {
    const children = parents.flatMap((parent) => childrenOf(context, namespace, parent));
    parents = children.filter((child) => !found.has(child));
    for (const child of children) found.add(child);
  }
  return [...found];
}

/** Ids of a record's children, in the confirmed records and in the outbox. */
export function childrenOf(
  context: StoreContext,
  namespace: string,
  parent: string,
): readonly RecordId[] {
  const confirmed = confirmedChildren(context, namespace, parent);
  const unsent = outboxChildren(context, namespace, parent);
  return unsent.length === 0 ? confirmed : [...new Set([...confirmed, ...unsent])];
}
