import { compareClocks } from "./clock.ts";
import { heldText } from "./held-value.ts";
import { assertInvariant } from "./invariant.ts";
import { canonicalJson, compareText, type JsonValue } from "./json.ts";
import { isTombstone, type RecordState, type Register, type Registers } from "./record.ts";

/**
 * Joins two states of one record into the state every replica ends with.
 *
 * A tombstone beats everything (MG4): no later edit and no higher clock brings a forgotten record
 * back. Otherwise each field goes to the higher clock (MG2). Wall time plays no part: a laptop with
 * a wrong clock cannot win by it.
 *
 * Commutative, associative and idempotent (MG1), hence safe to fold over states in any order and
 * any number of times. Fields this version does not know are kept (MG6).
 *
 * @example
 * ```ts
 * const edited = testRecord({ title: ["new", { lamport: 9, writer: "b" }] });
 * const forgotten = testTombstone(edited.id);
 * expect(mergeRecords(edited, forgotten)).toEqual(forgotten);
 * ```
 */
export function mergeRecords(left: RecordState, right: RecordState): RecordState {
  assertInvariant(left.id === right.id, "states of different records never meet");
  if (isTombstone(left)) return isTombstone(right) ? smallerTombstone(left, right) : left;
  if (isTombstone(right)) return right;
  return {
    ...smallerShape(left, right),
    registers: mergeRegisters(left.registers, right.registers),
  };
}

/** Joins two sets of registers, field by field. */
export function mergeRegisters(left: Registers, right: Registers): Registers {
  const merged: Record<string, Register> = { ...left };
  for (const [field, register] of Object.entries(right)) {
    const held = merged[field];
    merged[field] = held === undefined ? register : winner(held, register);
  }
  return merged;
}

/**
 * The register that stays (MG2). Equal clocks with different values, possible only after a client
 * and the server were both restored, fall to the greater canonical value (MG3), then to the
 * later wall time, so that every replica decides alike.
 */
export function winner(left: Register, right: Register): Register {
  return compareRegisters(left, right) >= 0 ? left : right;
}

/** Orders registers of one field: clock, then canonical value, then wall time. */
export function compareRegisters(left: Register, right: Register): number {
  return (
    compareClocks(left.clock, right.clock) ||
    compareText(heldText(left), heldText(right)) ||
    left.at - right.at
  );
}

/** Whether two values of a field are the same value. */
export function isSameValue(left: JsonValue, right: JsonValue): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object") return false;
  return canonicalJson(left) === canonicalJson(right);
}

// Collection and parent are fixed by the put; if a hostile or damaged replica disagrees, both sides
// must still pick the same one, or digests never meet.
function smallerShape<T extends { readonly collection: string; readonly parent?: string }>(
  left: T,
  right: T,
): T {
  const order =
    compareText(left.collection, right.collection) ||
    compareText(left.parent ?? "", right.parent ?? "");
  return order <= 0 ? left : right;
}

function smallerTombstone<T extends { readonly collection: string }>(left: T, right: T): T {
  return compareText(left.collection, right.collection) <= 0 ? left : right;
}
