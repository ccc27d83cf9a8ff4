import {
  fieldCountOf,
  isSameStamp,
  limits,
  NewRecord,
  stampOf,
  type LiveRecord,
  type RecordState,
  type Register,
} from "@tidemark/protocol";
import { storedForm } from "../store/stored-form.ts";

/** Bytes of a record's fields and clocks as stored; 0 for a tombstone, which is not billed. */
export function bytesOfState(state: RecordState): number {
  if (state instanceof NewRecord) return utf8Bytes(state.text.fields);
  const { fields, clocks } = storedForm(state);
  return (fields === null ? 0 : utf8Bytes(fields)) + (clocks === null ? 0 : utf8Bytes(clocks));
}

/**
 * The same of a live record that may change again before it is stored: each value is measured once,
 * however often a field beside it changes.
 */
export function bytesOfDraft(state: LiveRecord): number {
  if (state instanceof NewRecord) return bytesOfState(state);
  const stamp = stampOf(state.registers);
  let fields = 0;
  let clocks = 0;
  for (const [field, register] of Object.entries(state.registers)) {
    const name = utf8Bytes(JSON.stringify(field)) + ":,".length;
    const { value, clock } = sizeOf(register);
    fields += name + value;
    if (!isSameStamp(register, stamp)) clocks += name + clock;
  }
  // The last of them has no comma behind it, and each map has its two braces.
  const around = "{}".length - ",".length;
  return Math.max(fields + around, "{}".length) + (clocks > 0 ? clocks + around : 0);
}

/**
 * Whether a record has outgrown what it may be (PS9). It is always measured: an op bounds no growth,
 * for each of its fields stores a clock, and `9e15` is stored in 16 digits.
 */
export function isTooLarge(state: LiveRecord): boolean {
  return fieldCountOf(state) > limits.fieldsMax || bytesOfDraft(state) > limits.recordBytesMax;
}

/** Bytes of a text on the wire and in the database. */
export function utf8Bytes(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

interface Size {
  readonly value: number;
  readonly clock: number;
}

const sizes = new WeakMap<Register, Size>();

function sizeOf(register: Register): Size {
  const known = sizes.get(register);
  if (known !== undefined) return known;
  const { value, clock, at } = register;
  const size = {
    value: utf8Bytes(JSON.stringify(value)),
    clock: utf8Bytes(JSON.stringify([clock.lamport, clock.writer, at])),
  };
  sizes.set(register, size);
  return size;
}
