import type { RecordId, WriterId } from "../ids.ts";
import type { JsonValue } from "../json.ts";
import { tombstone, type LiveRecord, type Tombstone } from "../record.ts";

/** A short way to write a register: value, lamport, writer. */
export type ShortRegister = readonly [value: JsonValue, lamport: number, writer: string];

/** A live record in few words. */
export function testRecord(
  registers: Readonly<Record<string, ShortRegister>>,
  id = "record1",
): LiveRecord {
  return {
    id: id as RecordId,
    collection: "observation",
    registers: Object.fromEntries(
      Object.entries(registers).map(([field, [value, lamport, writer]]) => [
        field,
        { value, clock: { lamport, writer: writer as WriterId }, at: 0 },
      ]),
    ),
  };
}

/** A tombstone in few words. */
export function testTombstone(id = "record1"): Tombstone {
  return tombstone(id as RecordId, "observation");
}
