import {
  fail,
  isTombstone,
  ok,
  type JsonValue,
  type NamespaceId,
  type RecordId,
  type Result,
  type WriterId,
} from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import type { Change, Changed, ChangeError, OpName, RejectedOpView } from "../local-store.ts";
import { deleteOp, opsInState, opsOfRecord, readOp } from "../records/outbox.ts";
import { giveUpOwnWrite } from "../records/own-writes.ts";
import { readReplicas, resolveNamespace } from "../records/replicas.ts";
import type { OutboxRow } from "../rows.ts";
import { isClosedOp } from "../sealed/closed-ops.ts";
import { openedOpOf } from "../sealed/sealed-ops.ts";
import type { ScrubbedFields } from "../scrubbed-fields.ts";
import { refreshTrees } from "../view/projection.ts";
import { viewOf } from "../view/view.ts";
import { allOrNothing, changeInside, writableReplica } from "./change.ts";
import { issueLate, lowest } from "./issue.ts";
import { isUnderClosed, notWrittenOver } from "./written-over.ts";

/**
 * Issues a rejected op anew (OP20): a new lamport, and as base what the person sees without it.
 * Ops that depended on a rejected `put` go into the new one, since they are shown as one with it.
 */
export function retryRejected(
  context: StoreContext,
  name: OpName,
  atMs: number,
): Result<readonly Changed[], ChangeError> {
  return allOrNothing(context, () => {
    const rows = takeOut(context, name);
    if (rows.some((row) => isClosedOp(context, row))) {
      return fail({ kind: "closed", namespace: name.namespace });
    }
    const again = changeOf(context, rows);
    if (again === undefined) return fail({ kind: "unknown-record", id: String(name.n) });
    if (again.kind !== "forget" && isUnderClosed(context, rows, again)) {
      return fail({ kind: "closed", namespace: name.namespace });
    }
    refreshTrees(context, name.namespace, [again.id]);
    if (isForgottenHere(context, name.namespace, again)) return ok([]);
    const wanted = stillWanted(context, rows, again);
    if (wanted === undefined && isOnItsWay(context, name.namespace, again.id)) {
      return begin(context, rows, again);
    }
    const changes = wanted ?? [whole(context, rows, again)];
    return changeInside(context, { namespace: name.namespace, changes, atMs });
  });
}

/**
 * Begins a record that is nowhere with what stood beneath all that is on its way to it: as new values
 * they would stand over what this device wrote over them.
 */
function begin(
  context: StoreContext,
  rows: readonly OutboxRow[],
  change: Change,
): Result<readonly Changed[], ChangeError> {
  const namespace = rows[0]?.namespace as NamespaceId;
  const writable = writableReplica(context, { namespace, changes: [change], atMs: 0 });
  if (!writable.ok) return writable;
  const ops = rows.map((row) => openedOpOf(context, row).op);
  const [refused] = ops;
  const stamp = lowest(ops);
  if (change.kind === "forget" || refused === undefined || stamp === undefined) return ok([]);
  const { id, fields } = change;
  const issued = issueLate(context, writable.value, { refused, change, fields, stamp });
  if (!issued.ok) return issued;
  return ok([{ id, namespace, changed: true, lamport: writable.value.lamport }]);
}

/** Whether something that was written to a record still waits for a server's answer. */
export function isOnItsWay(context: StoreContext, namespace: string, id: RecordId): boolean {
  return opsOfRecord(context, namespace, id).some(({ state }) => state !== "rejected");
}

/**
 * The change without what this device has written over since; nothing where that was all of it.
 * Undefined where the record has to begin with something all the same, since it is nowhere.
 */
function stillWanted(
  context: StoreContext,
  rows: readonly OutboxRow[],
  change: Change,
): readonly Change[] | undefined {
  if (change.kind === "forget") return [change];
  const fields = notWrittenOver(context, rows, change.fields);
  const isOver = Object.keys(fields).length === 0 && Object.keys(change.fields).length > 0;
  if (!isOver) return [{ ...change, fields }];
  const namespace = rows[0]?.namespace ?? "";
  return viewOf(context, namespace, change.id) === undefined ? undefined : [];
}

/** The change with what was written over it and was refused for a reason of its own. */
function whole(context: StoreContext, rows: readonly OutboxRow[], change: Change): Change {
  const later = opsOfRecord(context, rows[0]?.namespace ?? "", change.id).filter(
    (row) => row.state === "rejected" && !isClosedOp(context, row),
  );
  for (const one of later) deleteOp(context, one);
  return changeOf(context, [...rows, ...later]) ?? change;
}

/**
 * Whether there is nothing to send again, since nobody but this device has had the record, and it has
 * forgotten it since; or, where the change is the forget itself, since the record came nowhere.
 */
export function isForgottenHere(
  context: StoreContext,
  namespace: NamespaceId,
  change: Change,
): boolean {
  const view = viewOf(context, namespace, change.id);
  if (change.kind === "forget") return view === undefined;
  const isGone = view?.confirmed === undefined && view !== undefined && isTombstone(view.state);
  const ops = opsOfRecord(context, namespace, change.id);
  // Until the forget itself was refused the change may still be wanted.
  return isGone && ops.some(({ op, state }) => op === "forget" && state === "rejected");
}

/**
 * Gives a rejected op up, and what depends on it; only then do their values vanish from the view
 * (OP21). Gives how many ops went.
 */
export function dropRejected(context: StoreContext, name: OpName): number {
  return context.db.transact<number>(() => {
    const rows = takeOut(context, name);
    for (const row of rows) giveUpOwnWrite(context, row.namespace, row);
    refreshTrees(context, name.namespace, new Set(rows.map(({ record }) => record as RecordId)));
    return rows.length;
  });
}

/** The rejected ops of one namespace, or of all. */
export function rejectedOps(
  context: StoreContext,
  namespace?: NamespaceId,
): readonly RejectedOpView[] {
  const names =
    namespace === undefined
      ? readReplicas(context).map((row) => row.namespace)
      : [resolveNamespace(context, namespace)];
  return names.flatMap((name) => opsInState(context, name, "rejected")).map(viewOfRejected);
}

/** Whether an op is still refused; reads no other. */
export function isRejected(context: StoreContext, name: OpName): boolean {
  return readOp(context, name)?.state === "rejected";
}

function viewOfRejected(row: OutboxRow): RejectedOpView {
  return {
    namespace: row.namespace as NamespaceId,
    record: row.record as RecordId,
    writer: row.writer as WriterId,
    n: row.n,
    op: row.op,
    code: row.code ?? "invalid",
  };
}

/**
 * Takes a refused op out of the outbox, and with a put what depends on it and other refused ops that
 * `isAlong` names; they come in the order in which they were made.
 */
export function takeOut(
  context: StoreContext,
  name: OpName,
  isAlong: (row: OutboxRow) => boolean = () => false,
): readonly OutboxRow[] {
  const row = readOp(context, name);
  if (row?.state !== "rejected") return [];
  const others = row.op === "put" ? opsOfRecord(context, row.namespace, row.record) : [];
  const along = others.filter((other) => {
    if (other.op === "put" || other.state !== "rejected") return false;
    return other.code === "depends" || isAlong(other);
  });
  const rows = [row, ...along];
  for (const one of rows) deleteOp(context, one);
  return rows;
}

/**
 * The change that these ops make together, the newest value of each field; undefined where there are
 * none. A put that was made of several stands first and may be newer than what comes after it.
 */
export function changeOf(context: StoreContext, rows: readonly OutboxRow[]): Change | undefined {
  const ops = rows.map((row) => openedOpOf(context, row));
  const first = ops[0]?.op;
  if (first === undefined) return undefined;
  const id = first.record;
  if (first.op === "forget") return { kind: "forget", id };
  const merged: Record<string, JsonValue> = {};
  for (const { op } of ops.toSorted((one, other) => one.op.lamport - other.op.lamport)) {
    if (op.op !== "forget") Object.assign(merged, op.fields);
  }
  // The values come from ops of this store, which took none but scrubbed ones.
  const fields = merged as unknown as ScrubbedFields;
  if (first.op === "set") return { kind: "set", id, fields };
  const { collection, parent } = first;
  return { kind: "put", id, collection, ...(parent === undefined ? {} : { parent }), fields };
}
