import { chainNext, chainStart } from "./chain.ts";
import type { Sha256 } from "./hash.ts";
import type { WriterId } from "./ids.ts";
import { opLine, type Base, type BaseEntry, type Op } from "./op.ts";
import type { OutboxOp } from "./overlay.ts";

/** An op under its new writer, as it goes back into the outbox. */
export interface RestampedOp {
  readonly op: Op;
  readonly line: string;
  readonly chain: string;
}

/**
 * Stamps unsent and unverified ops again after a fork (CH4): writer, `n` and chain are new, the
 * lamport stays, because a new one would beat what others wrote after seeing the old; a base that
 * names one of these ops follows it to the new writer.
 *
 * @param ops in the order in which they were made
 * @param seal what is done to each before it becomes a line, in their order
 */
export function restampOps(
  sha256: Sha256,
  writer: WriterId,
  ops: readonly OutboxOp[],
  seal: (op: Op) => Op = (op) => op,
): readonly RestampedOp[] {
  const moved = new Set(ops.flatMap(({ op, writer: old }) => stampsOf(op, old)));
  let chain = chainStart(sha256, writer);
  return ops.map(({ op: old }, index) => {
    const op = seal({ ...withMovedBase(old, writer, moved), n: index + 1 });
    const line = opLine(op);
    chain = chainNext(sha256, chain, line);
    return { op, line, chain };
  });
}

function stampsOf(op: Op, writer: WriterId): readonly string[] {
  if (op.op === "forget") return [];
  return Object.keys(op.fields).map((field) => stamp(op.record, field, op.lamport, writer));
}

function withMovedBase(op: Op, writer: WriterId, moved: ReadonlySet<string>): Op {
  if (op.op !== "set") return op;
  const base: Record<string, BaseEntry> = {};
  for (const [field, entry] of Object.entries(op.base)) {
    const isMoved = entry !== null && moved.has(stamp(op.record, field, entry[0], entry[1]));
    base[field] = isMoved ? [entry[0], writer, entry[2]] : entry;
  }
  return { ...op, base: base satisfies Base };
}

function stamp(record: string, field: string, lamport: number, writer: string): string {
  return JSON.stringify([record, field, lamport, writer]);
}
