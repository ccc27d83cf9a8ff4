import { fail, isSameValue, isTombstone, ok, type Op, type Result } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import type { Change, MendError, OpName, Rewrite } from "../local-store.ts";
import { readOp } from "../records/outbox.ts";
import type { OutboxRow, ReplicaRow } from "../rows.ts";
import type { ScrubbedFields } from "../scrubbed-fields.ts";
import { isClosedOp } from "../sealed/closed-ops.ts";
import { openedOpOf } from "../sealed/sealed-ops.ts";
import { refreshTrees } from "../view/projection.ts";
import { viewOf } from "../view/view.ts";
import { allOrNothing, writableReplica } from "./change.ts";
import { issueLate, lowest, type Values } from "./issue.ts";
import { changeOf, isForgottenHere, isOnItsWay, takeOut } from "./rejected.ts";
import { notWrittenOver } from "./written-over.ts";

/**
 * Issues a rejected op with other values (OP26). Nobody asked for that, so it says nothing new: it
 * keeps its clock and its base, and meets what was written meanwhile as it would have met it on
 * time. Values that this device has written over since are left out: whoever did so had seen them. A
 * put takes along what was refused for the same reason and is mended as well: its values are their base.
 */
export function mendRejected(
  context: StoreContext,
  name: OpName,
  rewrite: Rewrite,
): Result<void, MendError> {
  const { namespace } = name;
  return allOrNothing(context, () => {
    const code = readOp(context, name)?.code;
    const rows = takeOut(context, name, (row) => {
      return row.code === code && isMended(openedOpOf(context, row).op, rewrite);
    });
    if (rows.some((row) => isClosedOp(context, row))) return fail({ kind: "closed", namespace });
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

/** The change with other values; where it has others than were refused already, as it is. */
function rewritten(
  change: Change | undefined,
  { rewrite, refused }: { readonly rewrite: Rewrite; readonly refused: Op | undefined },
): Values | undefined {
  if (change === undefined || change.kind === "forget") return undefined;
  const fields = rewrite(change.fields) ?? change.fields;
  return isOther(fields, refused) ? { ...change, fields } : undefined;
}

/** Whether an op says something else once it is rewritten. */
function isMended(op: Op, rewrite: Rewrite): boolean {
  if (op.op === "forget") return false;
  // The values come from ops of this store, which took none but scrubbed ones.
  const fields = rewrite(op.fields as unknown as ScrubbedFields);
  return fields !== undefined && isOther(fields, op);
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
): Result<void, MendError> {
  const { id } = change;
  const state = viewOf(context, replica.namespace, id)?.state;
  if (state !== undefined && isTombstone(state)) return fail({ kind: "forgotten", id });
  const left = notWrittenOver(context, rows, change.fields);
  const isNothing = Object.keys(left).length === 0;
  if (state !== undefined && isNothing) return ok(undefined);
  // What was written over it is on its way: refused without it, it joins it; taken, nothing is left.
  if (isNothing && isOnItsWay(context, replica.namespace, id)) return fail({ kind: "waits", id });
  // A record that is nowhere yet has to begin: beneath all that was written over its values.
  const parts = isNothing ? [{ said: lowest(ops), fields: change.fields }] : partsOf(ops, left);
  return issueParts(context, replica, { ops, change }, parts);
}

/** The first part goes as what was refused first: where that was a put, the record may be nowhere. */
function issueParts(
  context: StoreContext,
  replica: ReplicaRow,
  { ops, change }: Pick<Mended, "ops" | "change">,
  parts: readonly Part[],
): Result<void, MendError> {
  for (const [index, { said, fields }] of parts.entries()) {
    const refused = index === 0 ? ops[0] : said;
    if (said === undefined || refused === undefined)
      return fail({ kind: "unknown-record", id: change.id });
    const issued = issueLate(context, replica, { refused, change, fields, stamp: said });
    if (!issued.ok) return issued;
  }
  return ok(undefined);
}

/** What one of several ops said last, and goes on to say. */
interface Part {
  readonly said: Op | undefined;
  readonly fields: ScrubbedFields;
}

/**
 * Values by the op that said them last, in the order of the clocks: under a newer one a value would
 * stand over what was written by whoever had seen it.
 */
function partsOf(ops: readonly Op[], fields: ScrubbedFields): readonly Part[] {
  const byClock = ops.toSorted((one, other) => one.lamport - other.lamport);
  const lastOf = (field: string): Op | undefined =>
    byClock.findLast((op) => op.op !== "forget" && Object.hasOwn(op.fields, field));
  return byClock.flatMap((said) => {
    const own = Object.entries(fields).filter(([field]) => lastOf(field) === said);
    return own.length === 0 ? [] : [{ said, fields: Object.fromEntries(own) }];
  });
}
