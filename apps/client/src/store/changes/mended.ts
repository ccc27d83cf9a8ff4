import {
  fail,
  isSameValue,
  isTombstone,
  ok,
  type Op,
  type PutOp,
  type Result,
  type SetOp,
} from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import type { Change, ChangeError, OpName, Rewrite } from "../local-store.ts";
import { appendOp } from "../records/outbox.ts";
import { saveReplica } from "../records/replicas.ts";
import type { OutboxRow, ReplicaRow } from "../rows.ts";
import type { ScrubbedFields } from "../scrubbed-fields.ts";
import { openedOpOf } from "../sealed/sealed-ops.ts";
import { refreshTrees, refreshViews } from "../view/projection.ts";
import { viewOf } from "../view/view.ts";
import { allOrNothing, writableReplica } from "./change.ts";
import { checkOp } from "./plan-op.ts";
import { changeOf, isForgottenHere, takeOut } from "./rejected.ts";
import { notWrittenOver } from "./written-over.ts";

/**
 * Issues a rejected op with other values (OP26). Nobody asked for that, so it says nothing new: it
 * keeps its clock and its base, and meets what was written meanwhile as it would have met it on
 * time. Values that this device has written over since are left out: whoever did so had seen them.
 */
export function mendRejected(
  context: StoreContext,
  name: OpName,
  rewrite: Rewrite,
): Result<void, ChangeError> {
  const { namespace } = name;
  return allOrNothing(context, () => {
    const rows = takeOut(context, name);
    const ops = rows.map((row) => openedOpOf(context, row).op);
    const change = rewritten(changeOf(context, rows), { rewrite, refused: ops[0] });
    if (change === undefined) return fail({ kind: "unknown-record", id: String(name.n) });
    const writable = writableReplica(context, { namespace, changes: [change], atMs: 0 });
    if (!writable.ok) return writable;
    refreshTrees(context, namespace, [change.id]);
    if (isForgottenHere(context, namespace, change)) return ok(undefined);
    return issue(context, writable.value, { rows, ops, change });
  });
}

type Values = Exclude<Change, { readonly kind: "forget" }>;

/** The change with other values; where it has others than were refused already, as it is. */
function rewritten(
  change: Change | undefined,
  { rewrite, refused }: { readonly rewrite: Rewrite; readonly refused: Op | undefined },
): Values | undefined {
  if (change === undefined || change.kind === "forget") return undefined;
  const fields = rewrite(change.fields) ?? change.fields;
  return isOther(fields, refused) ? { ...change, fields } : undefined;
}

/** Whether a field that was refused has another value now. */
function isOther(fields: ScrubbedFields, refused: Op | undefined): boolean {
  if (refused === undefined || refused.op === "forget") return false;
  return Object.entries(refused.fields).some(([field, value]) => {
    const now = fields[field];
    return now === undefined || !isSameValue(now, value);
  });
}

interface Mended {
  /** The ops that go into one. */
  readonly rows: readonly OutboxRow[];
  /** What they say. */
  readonly ops: readonly Op[];
  readonly change: Values;
}

function issue(
  context: StoreContext,
  replica: ReplicaRow,
  { rows, ops, change }: Mended,
): Result<void, ChangeError> {
  const { id } = change;
  const state = viewOf(context, replica.namespace, id)?.state;
  if (state !== undefined && isTombstone(state)) return fail({ kind: "forgotten", id });
  const [first, last = first] = [ops[0], ops.at(-1)];
  if (first === undefined || last === undefined) return fail({ kind: "unknown-record", id });
  const fields = notWrittenOver(context, rows, change.fields);
  if (state !== undefined && Object.keys(fields).length === 0) return ok(undefined);
  const head = { record: id, collection: first.collection, lamport: last.lamport, at: last.at };
  const op = checkOp({ ...head, ...bodyOf(first, change, fields) });
  if (!op.ok) return op;
  appendOp(context, replica, op.value);
  saveReplica(context, replica);
  refreshViews(context, replica.namespace, [id]);
  return ok(undefined);
}

function bodyOf(
  op: Op,
  change: Values,
  fields: ScrubbedFields,
): Pick<SetOp, "op" | "fields" | "base"> | Pick<PutOp, "op" | "fields" | "parent"> {
  if (op.op === "set") {
    const base = Object.entries(op.base).filter(([field]) => Object.hasOwn(fields, field));
    return { op: "set", fields, base: Object.fromEntries(base) };
  }
  const parent = change.kind === "put" ? change.parent : undefined;
  return { op: "put", ...(parent === undefined ? {} : { parent }), fields };
}
