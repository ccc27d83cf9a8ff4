import {
  canonicalText,
  canonicalValue,
  collections,
  decodeOp,
  fail,
  isSameValue,
  isTombstone,
  limits,
  mayStandUnder,
  ok,
  opLine,
  valueHash,
  type BaseEntry,
  type JsonObject,
  type JsonValue,
  type LiveRecord,
  type Op,
  type Result,
} from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import type { Change, ChangeError } from "../local-store.ts";
import type { UnnumberedOp } from "../records/outbox.ts";
import { sentValue, type FieldPlace } from "../sealed/sent-value.ts";
import { viewOf } from "../view/view.ts";

/** The clock and wall time of an op that is about to be made. */
export interface Stamp {
  readonly lamport: number;
  readonly at: number;
}

/**
 * Turns a change into the op that says it, or into nothing where the view says it already. A `set`
 * names as base what the person saw: clock and value hash of the view's register (OP13).
 */
export function planOp(
  context: StoreContext,
  namespace: string,
  change: Change,
  stamp: Stamp,
): Result<UnnumberedOp | undefined, ChangeError> {
  const state = viewOf(context, namespace, change.id)?.state;
  if (change.kind === "forget") {
    if (state === undefined) return fail({ kind: "unknown-record", id: change.id });
    if (isTombstone(state)) return ok(undefined);
    return ok({ ...headOf(change.id, state.collection, stamp), op: "forget" });
  }
  if (state !== undefined && isTombstone(state)) return fail({ kind: "forgotten", id: change.id });
  const fields = canonicalFields(change.fields);
  if (!fields.ok) return fields;
  if (state !== undefined) {
    return planSet(context, state, { namespace, change, fields: fields.value, stamp });
  }
  if (change.kind === "set") return fail({ kind: "unknown-record", id: change.id });
  return planPut(context, namespace, { change, fields: fields.value, stamp });
}

function planPut(
  context: StoreContext,
  namespace: string,
  plan: {
    readonly change: Extract<Change, { kind: "put" }>;
    readonly fields: JsonObject;
    readonly stamp: Stamp;
  },
): Result<UnnumberedOp, ChangeError> {
  const { id, collection, parent } = plan.change;
  if (collection === collections.conflict) return fail({ kind: "immutable", id });
  const head = headOf(id, collection, plan.stamp);
  if (parent === undefined) return checkOp({ ...head, op: "put", fields: plan.fields });
  const parentState = viewOf(context, namespace, parent)?.state;
  if (parentState !== undefined && isTombstone(parentState)) {
    return fail({ kind: "forgotten", id: parent });
  }
  if (!mayStandUnder({ record: id, parent }, parentState)) {
    return fail({ kind: "below-a-child", id });
  }
  return checkOp({ ...head, op: "put", parent, fields: plan.fields });
}

function planSet(
  context: StoreContext,
  state: LiveRecord,
  plan: {
    readonly namespace: string;
    readonly change: Exclude<Change, { kind: "forget" }>;
    readonly fields: JsonObject;
    readonly stamp: Stamp;
  },
): Result<UnnumberedOp | undefined, ChangeError> {
  const { id } = state;
  if (state.collection === collections.conflict) return fail({ kind: "immutable", id });
  if (plan.change.kind === "put" && plan.change.collection !== state.collection) {
    return fail({ kind: "collection-mismatch", id });
  }
  const fields: Record<string, JsonValue> = {};
  const base: Record<string, BaseEntry> = {};
  for (const [field, value] of Object.entries(plan.fields)) {
    const register = Object.hasOwn(state.registers, field) ? state.registers[field] : undefined;
    if (register !== undefined && isSameValue(register.value, value)) continue;
    fields[field] = value;
    const place = { namespace: plan.namespace, record: id, field };
    base[field] = register === undefined ? null : baseOf(context, place, register);
  }
  if (Object.keys(fields).length === 0) return ok(undefined);
  return checkOp({ ...headOf(id, state.collection, plan.stamp), op: "set", fields, base });
}

function baseOf(
  context: StoreContext,
  place: FieldPlace,
  register: LiveRecord["registers"][string],
): BaseEntry {
  const { clock } = register;
  return [
    clock.lamport,
    clock.writer,
    valueHash(context.sha256, sentValue(context, place, register)),
  ];
}

function headOf(
  record: Change["id"],
  collection: string,
  stamp: Stamp,
): Pick<Op, "record" | "collection" | "lamport" | "at"> {
  return { record, collection, lamport: stamp.lamport, at: stamp.at };
}

function canonicalFields(
  fields: Readonly<Record<string, unknown>>,
): Result<JsonObject, ChangeError> {
  const canonical: Record<string, JsonValue> = {};
  for (const [name, raw] of Object.entries(fields)) {
    const value = canonicalValue(raw);
    const field = canonicalText(name);
    if (!value.ok) return fail({ kind: "invalid-value", field, why: value.error.kind });
    canonical[field] = value.value;
  }
  return ok(canonical);
}

/**
 * What a server could not read would be refused there, where nobody looks; so it is refused here, by
 * the server's own reader (OP15).
 */
export function checkOp(op: UnnumberedOp): Result<UnnumberedOp, ChangeError> {
  const line = opLine({ ...op, n: Number.MAX_SAFE_INTEGER });
  const bytes = Buffer.byteLength(line);
  const bytesMax = limits.opBytesMax;
  if (bytes > bytesMax) return fail({ kind: "too-large", bytes, bytesMax });
  const decoded = decodeOp(line, Number.MAX_SAFE_INTEGER);
  if (decoded.ok) return ok(op);
  const field = "fields" in op ? (Object.keys(op.fields)[0] ?? "") : "";
  return fail({ kind: "invalid-value", field, why: decoded.error });
}
