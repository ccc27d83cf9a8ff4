import {
  isEncryptedId,
  isTombstone,
  sealValue,
  type Clock,
  type JsonValue,
  type Op,
  type RecordId,
  type Register,
} from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { readConfirmed } from "../records/confirmed.ts";
import { opsOfRecord } from "../records/outbox.ts";
import { ringOf } from "./key-rows.ts";

/** A field of a record of a namespace. */
export interface FieldPlace {
  readonly namespace: string;
  readonly record: RecordId;
  readonly field: string;
}

/**
 * The value of a register in view as the server has it, or will: what a base hashes (OP13). In an
 * encrypted namespace that is the sealed one, which stands in the record or in an op over it.
 */
export function sentValue(
  context: StoreContext,
  { namespace, record, field }: FieldPlace,
  register: Register,
): JsonValue {
  const ring = isEncryptedId(namespace) ? ringOf(context, namespace) : undefined;
  if (ring === undefined) return register.value;
  const fieldId = ring.fieldId(record, field);
  return (
    confirmedValue(context, { namespace, record, field: fieldId }, register.clock) ??
    outboxValue(context, { namespace, record, field: fieldId }, register.clock) ??
    sealValue(ring, { record, ...register }, { field, value: register.value }) ??
    null
  );
}

function confirmedValue(
  context: StoreContext,
  { namespace, record, field }: FieldPlace,
  { lamport, writer }: Clock,
): JsonValue | undefined {
  const state = readConfirmed(context, namespace, record)?.state;
  const held = state === undefined || isTombstone(state) ? undefined : state.registers[field];
  const isIt = held?.clock.lamport === lamport && held.clock.writer === writer;
  return isIt ? held.value : undefined;
}

function outboxValue(
  context: StoreContext,
  { namespace, record, field }: FieldPlace,
  { lamport, writer }: Clock,
): JsonValue | undefined {
  for (const row of opsOfRecord(context, namespace, record)) {
    if (row.lamport !== lamport || row.writer !== writer) continue;
    const op = JSON.parse(row.line) as Op;
    if (op.op !== "forget" && op.fields[field] !== undefined) return op.fields[field];
  }
  return undefined;
}
