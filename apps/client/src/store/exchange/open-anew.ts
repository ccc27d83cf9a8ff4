import { isEncryptedId, type RecordState } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { readConfirmed } from "../records/confirmed.ts";
import { readReplicas, saveReplica } from "../records/replicas.ts";
import type { ReplicaRow } from "../rows.ts";
import { closedFields } from "../sealed/opened-state.ts";
import { refreshViews } from "../view/projection.ts";
import { forgedNotice, isForgedNotice } from "./notices.ts";
import { allRecords } from "./sealing.ts";

/** What is opened, and how (ADR 51). It changes when values open that did not before. */
const opening = "2";
const openedName = "sealed-opening";

/**
 * Shows what an earlier version of this program had to set aside, for it could not open it (EE4):
 * it came once and comes no more. Done once for each way of opening, in one transaction.
 */
export function openAnew(context: StoreContext): boolean {
  const { db } = context;
  if (isOpenedSo(context) || encryptedReplicas(context).length === 0) return false;
  return db.transact<boolean>(() => {
    // Read in here: another process may have sent or taken something while this one waited.
    if (isOpenedSo(context)) return false;
    for (const replica of encryptedReplicas(context)) openReplica(context, replica);
    db.run("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", openedName, opening);
    return true;
  });
}

function encryptedReplicas(context: StoreContext): readonly ReplicaRow[] {
  return readReplicas(context).filter(({ namespace }) => isEncryptedId(namespace));
}

function openReplica(context: StoreContext, replica: ReplicaRow): void {
  const { namespace, notice } = replica;
  refreshViews(context, namespace, allRecords(context, namespace));
  if (!isForgedNotice(notice)) return;
  const { plain, forged } = closedFields(context, namespace, statesOf(context, namespace));
  const count = plain + forged;
  saveReplica(context, { ...replica, notice: count > 0 ? forgedNotice(count) : null });
}

function isOpenedSo({ db }: StoreContext): boolean {
  const row = db.get<{ value: string }>("SELECT value FROM meta WHERE key = ?", openedName);
  return row?.value === opening;
}

function* statesOf(context: StoreContext, namespace: string): Generator<RecordState> {
  for (const id of allRecords(context, namespace)) {
    const state = readConfirmed(context, namespace, id)?.state;
    if (state !== undefined) yield state;
  }
}
