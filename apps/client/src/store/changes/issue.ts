import { ok, type Op, type PutOp, type Result, type SetOp } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import type { Change, ChangeError } from "../local-store.ts";
import { appendOp } from "../records/outbox.ts";
import { saveReplica } from "../records/replicas.ts";
import type { ReplicaRow } from "../rows.ts";
import type { ScrubbedFields } from "../scrubbed-fields.ts";
import { refreshViews } from "../view/projection.ts";
import { checkOp, type Stamp } from "./plan-op.ts";

/** A change that says values. */
export type Values = Exclude<Change, { readonly kind: "forget" }>;

/** What a refused op is to say now, and since when. */
export interface Issued {
  /** The refused op: its kind and its base stay. */
  readonly refused: Op;
  readonly change: Values;
  /** Those of the change's values that are said. */
  readonly fields: ScrubbedFields;
  readonly stamp: Stamp;
}

/** Issues a refused op with a clock that it had before, as if it came late (OP26). */
export function issueLate(
  context: StoreContext,
  replica: ReplicaRow,
  { refused, change, fields, stamp }: Issued,
): Result<void, ChangeError> {
  const { lamport, at } = stamp;
  const head = { record: change.id, collection: refused.collection, lamport, at };
  const op = checkOp({ ...head, ...bodyOf(refused, change, fields) });
  if (!op.ok) return op;
  appendOp(context, replica, op.value);
  saveReplica(context, replica);
  refreshViews(context, replica.namespace, [change.id]);
  return ok(undefined);
}

/** Of several ops the one with the lowest clock; undefined of none. */
export function lowest(ops: readonly Op[]): Op | undefined {
  return ops.toSorted((one, other) => one.lamport - other.lamport)[0];
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
