import { compareClocks } from "./clock.ts";
import type { RecordId, WriterId } from "./ids.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import {
  isTombstone,
  oldestRegister,
  sortedFields,
  type LiveRecord,
  type Register,
  type Registers,
  type RecordState,
  type Tombstone,
} from "./record.ts";

/** The clock of one field where it is not the record's: lamport, writer, wall time. */
export type CompactClock = readonly [lamport: number, writer: WriterId, at: number];

/**
 * A live record as it is stored and sent (MG7): the oldest clock once, and `clocks` only for
 * fields changed later. One clock per field costs twice the bytes and six times the CPU.
 */
export interface CompactRecord {
  readonly id: RecordId;
  readonly collection: string;
  readonly parent?: RecordId;
  readonly lamport: number;
  readonly writer: WriterId;
  readonly at: number;
  readonly fields: JsonObject;
  readonly clocks?: Readonly<Record<string, CompactClock>>;
}

/** A record or tombstone as it is stored and sent. */
export type CompactState = CompactRecord | Tombstone;

/** Gives the compact form; the same registers give the same bytes on every replica. */
export function compactState(state: RecordState): CompactState {
  if (isTombstone(state)) return state;
  const { id, collection, parent, registers } = state;
  const stamp = stampOf(registers);
  const fields: Record<string, JsonValue> = {};
  const clocks: Record<string, CompactClock> = {};
  for (const field of sortedFields(registers)) {
    const register = registers[field];
    if (register === undefined) continue;
    fields[field] = register.value;
    if (isSameStamp(register, stamp)) continue;
    clocks[field] = [register.clock.lamport, register.clock.writer, register.at];
  }
  return {
    id,
    collection,
    ...(parent === undefined ? {} : { parent }),
    lamport: stamp.clock.lamport,
    writer: stamp.clock.writer,
    at: stamp.at,
    fields,
    ...(Object.keys(clocks).length > 0 ? { clocks } : {}),
  };
}

/** Gives back every register of a compact record. */
export function expandState(compact: CompactState): RecordState {
  if ("forgotten" in compact) {
    return { id: compact.id, collection: compact.collection, forgotten: true };
  }
  const clock = { lamport: compact.lamport, writer: compact.writer };
  const registers: Record<string, Register> = {};
  for (const [field, value] of Object.entries(compact.fields)) {
    const own = compact.clocks?.[field];
    registers[field] =
      own === undefined
        ? { value, clock, at: compact.at }
        : { value, clock: { lamport: own[0], writer: own[1] }, at: own[2] };
  }
  const { id, collection, parent } = compact;
  return {
    id,
    collection,
    ...(parent === undefined ? {} : { parent }),
    registers,
  } satisfies LiveRecord;
}

/** The register whose clock a compact record carries once. */
export function stampOf(registers: Registers): Register {
  return oldestRegister(registers) ?? noStamp;
}

/** Whether a register carries the record's clock, and so none of its own. */
export function isSameStamp(left: Register, right: Register): boolean {
  return left.at === right.at && compareClocks(left.clock, right.clock) === 0;
}

// A record without fields has no clock; no op can make one, but a decoder might.
const noStamp: Register = { value: null, clock: { lamport: 1, writer: "none" as WriterId }, at: 0 };
