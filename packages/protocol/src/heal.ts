import { isNamedBy, type Overwritten } from "./apply.ts";
import { conflictRecord } from "./conflict.ts";
import type { Sha256 } from "./hash.ts";
import { holdSame } from "./held-value.ts";
import { compareRegisters, mergeRecords } from "./merge.ts";
import type { BaseEntry } from "./op.ts";
import { isTombstone, type LiveRecord, type RecordState, type Register } from "./record.ts";

/** Clocks that a field once held and no longer does, as clock and value hash. */
export type PastClocks = Readonly<Record<string, readonly BaseEntry[]>>;

/** Two full states of one record that meet in a heal, each with what its side once held. */
export interface HealInput {
  readonly stored: RecordState;
  readonly storedPast: PastClocks;
  readonly incoming: RecordState;
  readonly incomingPast: PastClocks;
}

/** What a heal makes of two states. */
export interface HealOutcome {
  readonly state: RecordState;
  readonly conflicts: readonly LiveRecord[];
  readonly overwritten: readonly Overwritten[];
}

/**
 * Joins two full states (HL2). Full states carry no base, so a race is told from a succession by
 * the past: where the winning side once held the losing value, its author had seen it; else the
 * losing value becomes a conflict record, as in a push. Without this rule an acknowledged write
 * vanishes after a server was restored.
 */
export function healRecords(sha256: Sha256, input: HealInput): HealOutcome {
  const { stored, incoming } = input;
  const state = mergeRecords(stored, incoming);
  if (isTombstone(stored) || isTombstone(incoming)) {
    return { state, conflicts: [], overwritten: [] };
  }
  const conflicts: LiveRecord[] = [];
  const overwritten: Overwritten[] = [];
  for (const [field, register] of Object.entries(incoming.registers)) {
    const held = stored.registers[field];
    if (held === undefined || holdSame(held, register)) continue;
    const incomingWins = compareRegisters(register, held) > 0;
    const loser = incomingWins ? held : register;
    const past = incomingWins ? input.incomingPast[field] : input.storedPast[field];
    if (!hasHeld(sha256, past, loser)) {
      conflicts.push(conflictRecord(sha256, stored.id, field, loser));
    }
    if (incomingWins) {
      overwritten.push({ record: stored.id, field, register: held, replacedBy: register.clock });
    }
  }
  return { state, conflicts, overwritten };
}

function hasHeld(
  sha256: Sha256,
  past: readonly BaseEntry[] | undefined,
  register: Register,
): boolean {
  return past?.some((entry) => isNamedBy(sha256, register, entry)) ?? false;
}
