import { compareClocks, type Clock } from "./clock.ts";
import type { RecordId } from "./ids.ts";
import { sortedTexts, type JsonValue } from "./json.ts";

/** One field's value with its clock. `at` is wall time in milliseconds, for show only. */
export interface Register {
  readonly value: JsonValue;
  readonly clock: Clock;
  readonly at: number;
}

/** A record that somebody still wants: registers by field name. */
export interface LiveRecord {
  readonly id: RecordId;
  readonly collection: string;
  readonly parent?: RecordId;
  readonly registers: Registers;
}

/** Registers by field name. Fields that this version does not know are kept (MG6). */
export type Registers = Readonly<Record<string, Register>>;

/** What is left of a forgotten record: its id, no content, kept for good. */
export interface Tombstone {
  readonly id: RecordId;
  readonly collection: string;
  readonly forgotten: true;
}

/** Everything that can be known of a record. */
export type RecordState = LiveRecord | Tombstone;

/** Whether a record has been forgotten. */
export function isTombstone(state: RecordState): state is Tombstone {
  return "forgotten" in state;
}

/** Makes the tombstone of a record. */
export function tombstone(id: RecordId, collection: string): Tombstone {
  return { id, collection, forgotten: true };
}

/** The register that names the record's author: the one with the lowest clock. */
export function oldestRegister(registers: Registers): Register | undefined {
  let oldest: Register | undefined;
  for (const register of Object.values(registers)) {
    if (oldest === undefined || compareAges(register, oldest) < 0) oldest = register;
  }
  return oldest;
}

/** The highest lamport that a record's registers carry; 0 for a tombstone. */
export function highestLamport(state: RecordState): number {
  if (isTombstone(state)) return 0;
  let highest = 0;
  for (const register of Object.values(state.registers)) {
    highest = Math.max(highest, register.clock.lamport);
  }
  return highest;
}

/** A record's fields in the one order that digests and compact text use. */
export function sortedFields(registers: Registers): readonly string[] {
  return sortedTexts(Object.keys(registers));
}

function compareAges(left: Register, right: Register): number {
  return compareClocks(left.clock, right.clock) || left.at - right.at;
}
