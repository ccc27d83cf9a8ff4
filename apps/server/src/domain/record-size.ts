import {
  fieldCountOf,
  isSameStamp,
  isTombstone,
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

/** The same of a record that may be forgotten, or not be there; then it takes nothing. */
export function bytesOfLive(state: RecordState | undefined): number {
  return state === undefined || isTombstone(state) ? 0 : bytesOfDraft(state);
}

/**
 * Whether a record has outgrown what it may be (PS9). It is measured only where it could have:
 * `bytesTold` are those that it was stored in and those of the ops that changed it since.
 */
export function isTooLarge(state: LiveRecord, bytesTold = Number.MAX_SAFE_INTEGER): boolean {
  const fieldCount = fieldCountOf(state);
  if (fieldCount > limits.fieldsMax) return true;
  const isNear = bytesAtMost(fieldCount, bytesTold) > limits.recordBytesMax;
  return isNear && bytesOfDraft(state) > limits.recordBytesMax;
}

/** What a record may take at most, of which no more was told than this many bytes of JSON. */
export function bytesAtMost(fieldCount: number, bytesTold: number): number {
  return bytesTold * growthMax + fieldCount * clockBytesMax;
}

/** No JSON grows more when it is written anew: `9e15`, the largest such number, has 16 digits. */
const growthMax = 4;

/**
 * Bytes of a field's clock, of which an op tells one for all of its fields: two numbers of 17
 * characters, a writer and what stands between them. The name before it is among what was told.
 */
const clockBytesMax = limits.idMax + 48;

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
