import { collections } from "./collections.ts";
import type { Sha256 } from "./hash.ts";
import { heldHash } from "./held-value.ts";
import { derivedId, type RecordId } from "./ids.ts";
import type { JsonObject } from "./json.ts";
import type { LiveRecord, Register, Registers } from "./record.ts";

/**
 * The record that keeps a losing value (CF2). It follows from the record, the field and the losing
 * register alone, so whoever makes it makes the same bytes, and its parent is the record, so it is
 * forgotten with it.
 */
export function conflictRecord(
  sha256: Sha256,
  record: RecordId,
  field: string,
  loser: Register,
): LiveRecord {
  const known = made.get(loser);
  if (known?.parent === record && known.registers["field"]?.value === field) return known;
  const { clock, at, value } = loser;
  const fields: JsonObject = {
    field,
    value,
    lamport: clock.lamport,
    writer: clock.writer,
    lostAt: at,
  };
  const kept: LiveRecord = {
    id: conflictId(sha256, record, field, loser),
    collection: collections.conflict,
    parent: record,
    registers: registersOf(fields, loser),
  };
  made.set(loser, kept);
  return kept;
}

/** Where there is no room for it, one value may lose again and again. */
const made = new WeakMap<Register, LiveRecord>();

/** The id of the conflict record of a losing register (CF2). */
export function conflictId(
  sha256: Sha256,
  record: RecordId,
  field: string,
  loser: Register,
): RecordId {
  const { lamport, writer } = loser.clock;
  const hash = heldHash(sha256, loser);
  return derivedId(sha256, "conflict", [record, field, String(lamport), writer, hash]);
}

function registersOf(fields: JsonObject, stamp: Register): Registers {
  const { clock, at } = stamp;
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, { value, clock, at }]),
  );
}
