/** Ops of the outbox in an encrypted namespace: as they are sent, and as a person reads them. */
import {
  isEncryptedId,
  looksSealed,
  openOp,
  parseSealedText,
  refusalOfOp,
  sealOp,
  valueHash,
  type BaseEntry,
  type Op,
  type OutboxOp,
  type WriterId,
} from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import type { OutboxRow } from "../rows.ts";
import { ringOf } from "./key-rows.ts";

/** An op of the outbox as it was made: opened, where it is sealed. */
export function openedOpOf(
  context: StoreContext,
  row: Pick<OutboxRow, "namespace" | "line" | "writer">,
): OutboxOp {
  const writer = row.writer as WriterId;
  // The line was made here, so it is trusted.
  const op = JSON.parse(row.line) as Op;
  const ring = isSealed(op) ? ringOf(context, row.namespace) : undefined;
  return { op: ring === undefined ? op : openOp(ring, op, writer), writer };
}

/**
 * The op as it goes out: sealed, in an encrypted namespace whose newest key is here (EE10). Without
 * it the op stays as it is, and waits: {@link epochOfLine} gives it no way out.
 */
export function sealedOp<T extends Omit<Op, "n">>(
  context: StoreContext,
  { namespace, writer }: { readonly namespace: string; readonly writer: WriterId },
  op: T,
): T {
  if (!isEncryptedId(namespace)) return op;
  const ring = ringOf(context, namespace);
  if (ring === undefined || ring.epoch < wantedEpoch(context, namespace)) return op;
  return (sealOp(ring, op as unknown as Op, writer) ?? op) as unknown as T;
}

/** The epoch that the namespace's log stands at, as far as it was read. */
function wantedEpoch(context: StoreContext, namespace: string): number {
  const row = context.db.get<{ epoch: number }>(
    "SELECT epoch FROM namespace_logs WHERE namespace = ?",
    namespace,
  );
  return row?.epoch ?? 1;
}

/**
 * Seals ops that are about to be stored one after another, whose bases may name one another: what a
 * base hashes is the sealed value, which is another once it is sealed anew.
 */
export function createSealer(
  context: StoreContext,
  place: { readonly namespace: string; readonly writer: WriterId },
): (op: Op) => Op {
  const hashes = new Map<string, string>();
  return (op) => {
    const sealed = sealedOp(context, place, withNewHashes(op, place.writer, hashes));
    if (op.op !== "forget" && sealed.op !== "forget") {
      const values = Object.values(sealed.fields);
      for (const [index, field] of Object.keys(op.fields).entries()) {
        const hash = valueHash(context.sha256, values[index] ?? null);
        hashes.set(stampOf(op.record, field, op.lamport), hash);
      }
    }
    return sealed;
  };
}

function withNewHashes(op: Op, writer: WriterId, hashes: ReadonlyMap<string, string>): Op {
  if (op.op !== "set") return op;
  const base: Record<string, BaseEntry> = {};
  for (const [field, entry] of Object.entries(op.base)) {
    const isOwn = entry !== null && entry[1] === writer;
    const hash = isOwn ? hashes.get(stampOf(op.record, field, entry[0])) : undefined;
    base[field] = entry === null || hash === undefined ? entry : [entry[0], entry[1], hash];
  }
  return { ...op, base };
}

function stampOf(record: string, field: string, lamport: number): string {
  return JSON.stringify([record, field, lamport]);
}

/**
 * The epoch under which a line of an encrypted namespace is sealed; 0 for one that erases, which
 * goes along with any. Undefined for a line that must not leave this device: this is the one place
 * that all that is sent goes through, and it asks what a server would ask (EE10).
 */
export function epochOfLine(line: string): number | undefined {
  const op = JSON.parse(line) as Op;
  if (op.op === "forget") return 0;
  const [first] = Object.values(op.fields);
  const epoch = parseSealedText(first)?.epoch ?? 0;
  return refusalOfOp(op, { kind: "sealed", epoch }) === undefined ? epoch : undefined;
}

/** Whether an op holds sealed values. */
export function isSealed(op: Op): boolean {
  return op.op !== "forget" && Object.values(op.fields).some(looksSealed);
}
