import { CanonicalPut } from "./canonical-put.ts";
import type { Clock } from "./clock.ts";
import { collections } from "./collections.ts";
import { conflictRecord } from "./conflict.ts";
import type { RejectCode } from "./errors.ts";
import type { Sha256 } from "./hash.ts";
import type { RecordId, WriterId } from "./ids.ts";
import { mayStandUnder } from "./family.ts";
import { heldHash, holdSame } from "./held-value.ts";
import { compareRegisters } from "./merge.ts";
import {
  registersOfOp,
  type BaseEntry,
  type ForgetOp,
  type Op,
  type PutOp,
  type SetOp,
} from "./op.ts";
import { NewRecord } from "./new-record.ts";
import {
  isTombstone,
  tombstone,
  type LiveRecord,
  type RecordState,
  type Register,
} from "./record.ts";

/** What the confirmed state of a namespace says about the records that an op touches. */
export interface OpContext {
  readonly sha256: Sha256;
  readonly writer: WriterId;
  /** The record as it stands, or undefined when it is unknown. */
  readonly stored: RecordState | undefined;
  /** The parent that a `put` names, where it names one and it is known. */
  readonly parent?: RecordState | undefined;
}

/** A value that was current and no longer is. */
export interface Overwritten {
  readonly record: RecordId;
  readonly field: string;
  readonly register: Register;
  readonly replacedBy: Clock;
}

/** What applying an op does. `forgets`: this record's children go with it. */
export type OpOutcome =
  | {
      readonly kind: "applied" | "conflict";
      readonly state: LiveRecord;
      readonly conflicts: readonly LiveRecord[];
      readonly overwritten: readonly Overwritten[];
    }
  | { readonly kind: "erased"; readonly state: RecordState }
  | { readonly kind: "forgotten"; readonly state: RecordState }
  | { readonly kind: "unknown-record" }
  | { readonly kind: "rejected"; readonly code: RejectCode };

/**
 * Applies one op to confirmed state (OP2). Pure; the server runs it in the push transaction, and
 * every op gets a final outcome, so none can block those behind it (OP3).
 *
 * A `set` names what it replaces. If the stored value is the base, or equals the new value, nothing
 * is in conflict (CF1, CF4); else two writers changed the field unaware of each other, and the
 * losing value becomes a conflict record.
 */
export function applyOp(op: Op, context: OpContext): OpOutcome {
  const { stored } = context;
  if (stored !== undefined && stored.collection !== op.collection) {
    return { kind: "rejected", code: "collection-mismatch" };
  }
  if (op.op === "forget") return eraseRecord(op, stored);
  if (op.collection === collections.conflict) return { kind: "rejected", code: "immutable" };
  if (stored !== undefined && isTombstone(stored)) return { kind: "forgotten", state: stored };
  if (op.op === "set") {
    return stored === undefined ? { kind: "unknown-record" } : writeFields(op, stored, context);
  }
  if (stored !== undefined) return writeFields(op, stored, context);
  return createRecord(op, context);
}

function eraseRecord(op: ForgetOp, stored: RecordState | undefined): OpOutcome {
  if (stored !== undefined && isTombstone(stored)) return { kind: "forgotten", state: stored };
  return { kind: "erased", state: tombstone(op.record, op.collection) };
}

function createRecord(op: PutOp, context: OpContext): OpOutcome {
  // A child of a forgotten parent arrives late: it is forgotten on arrival (TB3).
  if (context.parent !== undefined && isTombstone(context.parent)) {
    return { kind: "forgotten", state: tombstone(op.record, op.collection) };
  }
  if (!mayStandUnder(op, context.parent)) return { kind: "rejected", code: "invalid" };
  const state = recordOfPut(op, context.writer);
  return { kind: "applied", state, conflicts: [], overwritten: [] };
}

function recordOfPut(op: PutOp, writer: WriterId): LiveRecord {
  if (op instanceof CanonicalPut) return new NewRecord(op, writer);
  return {
    id: op.record,
    collection: op.collection,
    ...(op.parent === undefined ? {} : { parent: op.parent }),
    registers: registersOfOp(op, writer),
  };
}

function writeFields(op: PutOp | SetOp, stored: LiveRecord, context: OpContext): OpOutcome {
  const registers: Record<string, Register> = { ...stored.registers };
  const conflicts: LiveRecord[] = [];
  const overwritten: Overwritten[] = [];
  const incoming = registersOfOp(op, context.writer);
  for (const [field, register] of Object.entries(incoming)) {
    const held = registers[field];
    if (held === undefined) {
      registers[field] = register;
      continue;
    }
    const incomingWins = compareRegisters(register, held) > 0;
    if (incomingWins) registers[field] = register;
    if (holdSame(held, register)) continue;
    const base = op.op === "set" ? op.base[field] : undefined;
    // A clock is above what its base names, until there is none above (CK2): what it loses is kept.
    if (!incomingWins || !isNamedBy(context.sha256, held, base)) {
      const loser = incomingWins ? held : register;
      conflicts.push(conflictRecord(context.sha256, stored.id, field, loser));
    }
    if (!incomingWins) continue;
    overwritten.push({ record: stored.id, field, register: held, replacedBy: register.clock });
  }
  const state = { ...stored, registers };
  return { kind: conflicts.length > 0 ? "conflict" : "applied", state, conflicts, overwritten };
}

/** Whether a base, or a past clock, names exactly this register: its clock and its value. */
export function isNamedBy(
  sha256: Sha256,
  register: Register,
  entry: BaseEntry | undefined,
): boolean {
  if (entry === null || entry === undefined) return false;
  const [lamport, writer, hash] = entry;
  return (
    register.clock.lamport === lamport &&
    register.clock.writer === writer &&
    heldHash(sha256, register) === hash
  );
}
