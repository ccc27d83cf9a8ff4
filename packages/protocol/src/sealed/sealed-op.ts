import type { WriterId } from "../ids.ts";
import type { JsonValue } from "../json.ts";
import type { Base, BaseEntry, Op } from "../op.ts";
import type { KeyRing } from "./key-ring.ts";
import { openValue, sealValue, type ValuePlace } from "./sealed-value.ts";

/**
 * Seals an op for its writer (EE1): names become ids, values sealed texts, and bases go with their
 * fields; what a base hashes is a sealed value already. Undefined without a key to seal under.
 */
export function sealOp(ring: KeyRing, op: Op, writer: WriterId): Op | undefined {
  if (op.op === "forget") return op;
  const place = placeOf(op, writer);
  const fields: Record<string, JsonValue> = {};
  for (const [field, value] of Object.entries(op.fields)) {
    const sealed = sealValue(ring, place, { field, value });
    if (sealed === undefined) return undefined;
    fields[ring.fieldId(op.record, field)] = sealed;
  }
  if (op.op === "put") return { ...op, fields };
  return { ...op, fields, base: renamed(op.base, (field) => ring.fieldId(op.record, field)) };
}

/**
 * Opens an op of this device's own. A field that does not open is left out, for it says nothing to
 * anybody here.
 */
export function openOp(ring: KeyRing, op: Op, writer: WriterId): Op {
  if (op.op === "forget") return op;
  const place = placeOf(op, writer);
  const names = new Map<string, string>();
  const fields: Record<string, JsonValue> = {};
  for (const [fieldId, sealed] of Object.entries(op.fields)) {
    const open = openValue(ring, place, { fieldId, sealed });
    if (typeof open === "string") continue;
    names.set(fieldId, open.field);
    fields[open.field] = open.value;
  }
  if (op.op === "put") return { ...op, fields };
  return { ...op, fields, base: renamed(op.base, (fieldId) => names.get(fieldId)) };
}

function placeOf({ record, lamport, at }: Op, writer: WriterId): ValuePlace {
  return { record, clock: { lamport, writer }, at };
}

function renamed(base: Base, nameOf: (field: string) => string | undefined): Base {
  const moved: Record<string, BaseEntry> = {};
  for (const [field, entry] of Object.entries(base)) {
    const name = nameOf(field);
    if (name !== undefined) moved[name] = entry;
  }
  return moved;
}
