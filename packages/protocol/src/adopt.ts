import { compareClocks } from "./clock.ts";
import { isSameValue, winner } from "./merge.ts";
import {
  isTombstone,
  type LiveRecord,
  type RecordState,
  type Register,
  type Registers,
} from "./record.ts";
import type { Overwritten } from "./apply.ts";

/** What a replica makes of a state that the server sent. */
export interface Adopted {
  readonly state: RecordState;
  /** Values that were current here: the replica's past, for heals and offline history. */
  readonly overwritten: readonly Overwritten[];
}

/**
 * Takes a pulled state into a replica's confirmed one (PL4).
 *
 * A merge, but for one case: equal clocks with different values. There the replica keeps its own
 * value, so that digests differ and the heal that follows lets both values meet on the server,
 * where the lesser one becomes a conflict record (CF5).
 */
export function adoptState(held: RecordState | undefined, pulled: RecordState): Adopted {
  if (held === undefined || isTombstone(held)) return { state: held ?? pulled, overwritten: [] };
  if (isTombstone(pulled)) return { state: pulled, overwritten: [] };
  const registers: Record<string, Register> = { ...held.registers };
  const overwritten: Overwritten[] = [];
  for (const [field, register] of Object.entries(pulled.registers)) {
    const own = registers[field];
    const next = own === undefined ? register : newer(own, register);
    registers[field] = next;
    if (own !== undefined && !isSameValue(own.value, next.value)) {
      overwritten.push({ record: held.id, field, register: own, replacedBy: next.clock });
    }
  }
  return { state: shapeOfPulled(pulled, registers), overwritten };
}

function newer(own: Register, pulled: Register): Register {
  const order = compareClocks(pulled.clock, own.clock);
  if (order === 0 && isSameValue(own.value, pulled.value)) return winner(own, pulled);
  return order > 0 ? pulled : own;
}

function shapeOfPulled(pulled: LiveRecord, registers: Registers): LiveRecord {
  return { ...pulled, registers };
}
