import {
  applyOp,
  assertInvariant,
  fail,
  isLamport,
  isTombstone,
  limits,
  ok,
  tombstone,
  type NamespaceId,
  type Result,
} from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import type { Change, Changed, ChangeError } from "../local-store.ts";
import { highestConfirmedLamport, readConfirmed, saveConfirmed } from "../records/confirmed.ts";
import { appendOp, type UnnumberedOp } from "../records/outbox.ts";
import { noteOwnWrite } from "../records/own-writes.ts";
import { addPast } from "../records/past.ts";
import { ownWriter, resolveReplica, saveReplica } from "../records/replicas.ts";
import type { ReplicaRow } from "../rows.ts";
import { refreshTrees, refreshViews } from "../view/projection.ts";
import { descendantsOf } from "../view/view.ts";
import { planOp } from "./plan-op.ts";

/** Changes of one namespace, made at one moment. */
export interface ChangeRequest {
  readonly namespace: string;
  readonly changes: readonly Change[];
  readonly atMs: number;
}

/** Makes changes in one transaction, all or none (OP11). */
export function change(
  context: StoreContext,
  request: ChangeRequest,
): Result<readonly Changed[], ChangeError> {
  return allOrNothing(context, () => changeInside(context, request));
}

/** As {@link change}, inside a transaction of the caller's; an error means "roll back". */
export function changeInside(
  context: StoreContext,
  request: ChangeRequest,
): Result<readonly Changed[], ChangeError> {
  const writable = writableReplica(context, request);
  if (!writable.ok) return writable;
  const replica = writable.value;
  const done: Changed[] = [];
  for (const one of request.changes) {
    const changed = changeOne(context, replica, one, request.atMs);
    if (!changed.ok) return changed;
    done.push(changed.value);
  }
  if (done.some(({ changed }) => changed)) saveReplica(context, replica);
  return ok(done);
}

/** Runs `work` in one transaction that an error rolls back. */
export function allOrNothing<T, E>(context: StoreContext, work: () => Result<T, E>): Result<T, E> {
  const refused: { error?: { readonly value: E } } = {};
  try {
    return context.db.transact<Result<T, E>>(() => {
      const result = work();
      if (result.ok) return result;
      refused.error = { value: result.error };
      throw new RollBack();
    });
  } catch (error) {
    if (error instanceof RollBack && refused.error !== undefined) return fail(refused.error.value);
    throw error;
  }
}

class RollBack extends Error {}

/** The replica that a change goes to; fails where nothing may be written there. */
export function writableReplica(
  context: StoreContext,
  { namespace: name, changes: [first] }: ChangeRequest,
): Result<ReplicaRow, ChangeError> {
  const replica = resolveReplica(context, name);
  if (replica === undefined) return fail({ kind: "unknown-namespace", namespace: name });
  const namespace = replica.namespace as NamespaceId;
  const subject = first === undefined || first.kind === "put" ? {} : { id: first.id };
  if (replica.status === "parked") return fail({ kind: "parked", namespace, ...subject });
  if (replica.role === "reader") return fail({ kind: "read-only", namespace, ...subject });
  return ok(replica);
}

function changeOne(
  context: StoreContext,
  replica: ReplicaRow,
  one: Change,
  atMs: number,
): Result<Changed, ChangeError> {
  const namespace = replica.namespace as NamespaceId;
  const stamp = { lamport: nextLamport(context, replica), at: atMs };
  const planned = planOp(context, namespace, one, stamp);
  if (!planned.ok) return planned;
  const op = planned.value;
  if (op !== undefined) {
    if (replica.kind === "local") applyLocally(context, replica, op);
    else {
      if (op.op !== "forget") noteOwnWrite(context, namespace, op);
      appendOp(context, replica, op);
    }
    replica.lamport = Math.max(replica.lamport, op.lamport);
    const refresh = op.op === "forget" ? refreshTrees : refreshViews;
    refresh(context, namespace, [one.id]);
  }
  return ok({ id: one.id, namespace, changed: op !== undefined, lamport: replica.lamport });
}

// A damaged clock at its very end must not refuse captures: they go on from the records (CK4).
function nextLamport(context: StoreContext, replica: ReplicaRow): number {
  const next = replica.lamport + 1;
  if (isLamport(next)) return next;
  replica.lamport = highestConfirmedLamport(context, replica.namespace);
  return Math.min(replica.lamport + 1, limits.lamportMax);
}

// `local` has no server to confirm anything, so its changes are confirmed as they are made. With
// one writer and bases taken from the view a conflict cannot be.
function applyLocally(context: StoreContext, replica: ReplicaRow, op: UnnumberedOp): void {
  const { namespace } = replica;
  const stored = readConfirmed(context, namespace, op.record)?.state;
  const writer = ownWriter(context, replica);
  const outcome = applyOp({ ...op, n: 1 }, { sha256: context.sha256, writer, stored });
  switch (outcome.kind) {
    case "applied":
      saveConfirmed(context, replica, { state: outcome.state, seq: null });
      addPast(context, namespace, outcome.overwritten);
      return;
    case "erased":
      eraseLocally(context, replica, op);
      return;
    default:
      assertInvariant(false, "a change of the local namespace applies", { outcome: outcome.kind });
  }
}

function eraseLocally(context: StoreContext, replica: ReplicaRow, op: UnnumberedOp): void {
  const { namespace } = replica;
  const gone = descendantsOf(context, namespace, op.record);
  const save = (id: typeof op.record, collection: string): void => {
    saveConfirmed(context, replica, { state: tombstone(id, collection), seq: null });
  };
  save(op.record, op.collection);
  for (const id of gone) {
    const state = readConfirmed(context, namespace, id)?.state;
    if (state !== undefined && !isTombstone(state)) save(id, state.collection);
  }
  refreshViews(context, namespace, gone);
}
