import type { RecordId, WriterId } from "./ids.ts";
import { canonicalJson, type JsonObject } from "./json.ts";
import type { Register } from "./record.ts";

/** What a `set` replaces, as its author saw it: clock and value hash; null where there was nothing. */
export type BaseEntry = readonly [lamport: number, writer: WriterId, valueHash: string] | null;

/** Bases by field. */
export type Base = Readonly<Record<string, BaseEntry>>;

interface OpShape {
  /** Dense per writer and namespace, from 1. */
  readonly n: number;
  readonly record: RecordId;
  readonly collection: string;
  readonly lamport: number;
  /** Wall time in milliseconds, for show only. */
  readonly at: number;
}

/** Creates a record; on an existing one it is a `set` without base. */
export interface PutOp extends OpShape {
  readonly op: "put";
  readonly parent?: RecordId;
  readonly fields: JsonObject;
}

/** Changes fields of a record. */
export interface SetOp extends OpShape {
  readonly op: "set";
  readonly fields: JsonObject;
  readonly base: Base;
}

/** Erases a record and its children for ever. */
export interface ForgetOp extends OpShape {
  readonly op: "forget";
}

/** One local change. */
export type Op = PutOp | SetOp | ForgetOp;

/** The line of an op as it is stored, hashed and sent (OP1); the outbox keeps it byte for byte. */
export function opLine(op: Op): string {
  const { n, record, collection, lamport, at } = op;
  const head = { n, record, collection, lamport, at, op: op.op };
  return canonicalJson(shapeOf(op, head));
}

function shapeOf(op: Op, head: JsonObject): JsonObject {
  switch (op.op) {
    case "put":
      return {
        ...head,
        ...(op.parent === undefined ? {} : { parent: op.parent }),
        fields: op.fields,
      };
    case "set":
      return { ...head, fields: op.fields, base: op.base };
    case "forget":
      return head;
  }
}

/** The registers that an op writes, under the clock of its writer. */
export function registersOfOp(
  op: PutOp | SetOp,
  writer: WriterId,
): Readonly<Record<string, Register>> {
  const clock = { lamport: op.lamport, writer };
  const registers: Record<string, Register> = {};
  for (const [field, value] of Object.entries(op.fields)) {
    registers[field] = { value, clock, at: op.at };
  }
  return registers;
}
