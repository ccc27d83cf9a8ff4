import {
  isEncryptedId,
  isTombstone,
  openState,
  openValue,
  type OpenFailure,
  type RecordId,
  type RecordState,
  type Register,
} from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { ringOf } from "./key-rows.ts";

/**
 * A confirmed state as a person reads it; undefined where nothing of it opens yet (EE4). In a
 * namespace that is not encrypted it is the state itself.
 */
export function openedState(
  context: StoreContext,
  namespace: string,
  state: RecordState | undefined,
): RecordState | undefined {
  if (state === undefined || isTombstone(state) || !isEncryptedId(namespace)) return state;
  const ring = ringOf(context, namespace);
  return ring === undefined ? undefined : openState(ring, state).state;
}

/** A field that a record has had, as a person reads it; undefined where it does not open. */
export interface FieldValue {
  readonly field: string;
  readonly register: Register;
}

/** Opens a value that is no longer in its record. */
export function openedValue(
  context: StoreContext,
  namespace: string,
  { record, field, register }: FieldValue & { readonly record: RecordId },
): FieldValue | undefined {
  if (!isEncryptedId(namespace)) return { field, register };
  const ring = ringOf(context, namespace);
  if (ring === undefined) return undefined;
  const place = { record, clock: register.clock, at: register.at };
  const open = openValue(ring, place, { fieldId: field, sealed: register.value });
  if (typeof open === "string") return undefined;
  return { field: open.field, register: { ...register, value: open.value, at: open.at } };
}

/** How many fields of states do not open, by why; nothing in a namespace that is not encrypted. */
export function closedFields(
  context: StoreContext,
  namespace: string,
  states: Iterable<RecordState>,
): Readonly<Record<OpenFailure, number>> {
  const closed = { plain: 0, "no-key": 0, forged: 0 };
  const ring = ringOf(context, namespace);
  if (ring === undefined) return closed;
  for (const state of states) {
    if (isTombstone(state)) continue;
    const found = openState(ring, state).closed;
    closed.plain += found.plain;
    closed["no-key"] += found["no-key"];
    closed.forged += found.forged;
  }
  return closed;
}
