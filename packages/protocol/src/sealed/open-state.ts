import { collections } from "../collections.ts";
import type { WriterId } from "../ids.ts";
import type { LiveRecord, Register } from "../record.ts";
import type { KeyRing } from "./key-ring.ts";
import { openValue, type OpenFailure, type ValuePlace } from "./sealed-value.ts";

/** A record as members read it, and what of it does not open. */
export interface OpenedState {
  /** Undefined where nothing of it opens. */
  readonly state: LiveRecord | undefined;
  /** How many fields did not, by why. They stay sealed, and are passed on as they are. */
  readonly closed: Readonly<Record<OpenFailure, number>>;
}

/** Opens a record field by field (EE4); what does not open is set aside, and the rest is shown. */
export function openState(ring: KeyRing, state: LiveRecord): OpenedState {
  if (state.collection === collections.conflict) return openConflict(ring, state);
  const closed = { plain: 0, "no-key": 0, forged: 0 };
  const registers: Record<string, Register> = {};
  for (const [fieldId, register] of Object.entries(state.registers)) {
    const place = { record: state.id, clock: register.clock, at: register.at };
    const open = openValue(ring, place, { fieldId, sealed: register.value });
    if (typeof open === "string") closed[open] += 1;
    else registers[open.field] = { ...register, value: open.value, at: open.at };
  }
  const isEmpty = Object.keys(registers).length === 0;
  return { state: isEmpty ? undefined : { ...state, registers }, closed };
}

/**
 * A conflict record keeps the losing value as it was sealed, and says in clear for which record,
 * field and clock; it opens there and nowhere else.
 */
function openConflict(ring: KeyRing, state: LiveRecord): OpenedState {
  const { field, value, lostAt } = state.registers;
  const place = placeOfLoser(state);
  const none = { plain: 0, "no-key": 0, forged: 0 };
  if (place === undefined || typeof field?.value !== "string" || value === undefined) {
    return { state: undefined, closed: { ...none, forged: 1 } };
  }
  const open = openValue(ring, place, { fieldId: field.value, sealed: value.value });
  if (typeof open === "string") return { state: undefined, closed: { ...none, [open]: 1 } };
  const registers = {
    ...state.registers,
    field: { ...field, value: open.field },
    value: { ...value, value: open.value },
    ...(lostAt === undefined ? {} : { lostAt: { ...lostAt, value: open.at } }),
  };
  return { state: { ...state, registers }, closed: none };
}

function placeOfLoser({ parent, registers }: LiveRecord): ValuePlace | undefined {
  const lamport = registers["lamport"]?.value;
  const writer = registers["writer"]?.value;
  const at = registers["lostAt"]?.value;
  if (parent === undefined || typeof lamport !== "number") return undefined;
  if (typeof writer !== "string" || typeof at !== "number") return undefined;
  return { record: parent, clock: { lamport, writer: writer as WriterId }, at };
}
