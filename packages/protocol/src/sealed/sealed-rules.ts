import { CanonicalPut } from "../canonical-put.ts";
import { collections } from "../collections.ts";
import type { RejectCode } from "../errors.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { Op } from "../op.ts";
import { isTombstone, type RecordState } from "../record.ts";
import { isFieldId, looksSealed, parseSealedText } from "./sealed-text.ts";

/** What a namespace takes: plain values, or sealed ones of this epoch and no others (EE5). */
export type SealMode =
  | { readonly kind: "plain" }
  | { readonly kind: "sealed"; readonly epoch: number };

/** Why a namespace of this mode does not take an op, by its form alone (EE5). */
export function refusalOfOp(op: Op, mode: SealMode): RejectCode | undefined {
  if (op.op === "forget") return undefined;
  if (mode.kind === "plain") return holdsSealed(op) ? "sealed-value" : undefined;
  const code = refusalOfFields(op.fields, mode.epoch);
  if (code !== undefined || op.op === "put") return code;
  return Object.keys(op.base).every(isFieldId) ? undefined : "plain-value";
}

// Most puts are never parsed; no text of a plain one holds this, but in quotes that are escaped.
function holdsSealed(op: { readonly fields: JsonObject }): boolean {
  if (op instanceof CanonicalPut && !op.fieldsText.includes('"sealed1.')) return false;
  return Object.values(op.fields).some(looksSealed);
}

function refusalOfFields(fields: JsonObject, epoch: number): RejectCode | undefined {
  let isOld = false;
  for (const [field, value] of Object.entries(fields)) {
    const sealed = parseSealedText(value);
    if (sealed === undefined || !isFieldId(field)) return "plain-value";
    isOld ||= sealed.epoch !== epoch;
  }
  return isOld ? "invalid" : undefined;
}

/**
 * Why a namespace does not take a state that a heal delivers (EE5). Of whatever epoch: what was
 * taken once is history, and stays under the key that it had.
 */
export function refusalOfState(state: RecordState, isEncrypted: boolean): RejectCode | undefined {
  if (isTombstone(state)) return undefined;
  const values = Object.entries(state.registers).map(([field, { value }]) => ({ field, value }));
  if (!isEncrypted)
    return values.some(({ value }) => looksSealed(value)) ? "sealed-value" : undefined;
  if (state.collection === collections.conflict) return refusalOfConflict(state.registers);
  const isSealed = values.every(({ field, value }) => isFieldId(field) && isSealedText(value));
  return isSealed ? undefined : "plain-value";
}

// Servers make them of a register that lost, and say which one in clear (EE4).
function refusalOfConflict(
  registers: Readonly<Record<string, { readonly value: JsonValue }>>,
): RejectCode | undefined {
  const { field, value } = registers;
  const isNamed = typeof field?.value === "string" && isFieldId(field.value);
  return isNamed && isSealedText(value?.value) ? undefined : "plain-value";
}

function isSealedText(value: unknown): boolean {
  return parseSealedText(value) !== undefined;
}
