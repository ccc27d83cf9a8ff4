import { isLamport, type Clock } from "./clock.ts";
import type { CompactClock } from "./compact.ts";
import { isCanonicalObject } from "./canonical.ts";
import type { RejectCode } from "./errors.ts";
import { isId, type RecordId, type WriterId } from "./ids.ts";
import { isArray, isObject, type JsonObject, type JsonValue } from "./json.ts";
import { limits } from "./limits.ts";
import type { Base, BaseEntry, Op } from "./op.ts";
import { tombstone, type RecordState, type Register } from "./record.ts";
import { fail, ok, type Result } from "./result.ts";

/**
 * Reads one op line (WR1). Never throws: whatever the bytes, the answer is an op or the code with
 * which the op is refused, so a line that cannot be read still consumes its `n` (OP3).
 *
 * @param n the number that the op's place in the push gives it; the line must agree
 * @param bytesMax what an op may have where it is read
 */
export function decodeOp(
  line: string,
  n: number,
  bytesMax: number = limits.opBytesMax,
): Result<Op, RejectCode> {
  if (line.length > bytesMax) return fail("too-large");
  const body = parseObject(line);
  if (body === undefined) return fail("invalid");
  const head = decodeOpHead(body);
  if (head === undefined || head.n !== n) return fail("invalid");
  const kind = body["op"];
  if (kind === "forget") return ok({ ...head, op: "forget" });
  const fields = decodeFields(body["fields"]);
  if (!fields.ok) return fields;
  if (kind === "put") return decodePut(head, fields.value, body["parent"]);
  if (kind !== "set") return fail("invalid");
  const base = decodeBase(body["base"]);
  if (base === undefined) return fail("invalid");
  return ok({ ...head, op: "set", fields: fields.value, base });
}

function decodePut(
  head: OpHead,
  fields: JsonObject,
  parent: JsonValue | undefined,
): Result<Op, RejectCode> {
  // A record without a register has no clock, so its compact form could not be read back.
  if (Object.keys(fields).length === 0) return fail("invalid");
  if (parent === undefined) return ok({ ...head, op: "put", fields });
  if (!isIdText(parent)) return fail("invalid");
  return ok({ ...head, op: "put", parent: parent as RecordId, fields });
}

/** A state from the wire, with the seq it stands at where the sender gave one. */
export interface DecodedState {
  readonly state: RecordState;
  readonly seq?: number;
}

/** A state with the line it came in. */
export interface DecodedLine extends DecodedState {
  /** The rest of the line: what a later version may add. */
  readonly line: JsonObject;
}

/** Reads one compact record or tombstone (WR1). Never throws. */
export function decodeState(line: string): Result<DecodedLine, RejectCode> {
  const body = parseObject(line);
  if (body === undefined) return fail("invalid");
  const { id, collection, seq } = body;
  if (!isIdText(id) || !isIdText(collection)) return fail("invalid");
  if (seq !== undefined && !isCount(seq)) return fail("invalid");
  const place = seq === undefined ? {} : { seq };
  if (body["forgotten"] === true) {
    return ok({ state: tombstone(id as RecordId, collection), ...place, line: body });
  }
  const registers = decodeRegisters(body);
  if (!registers.ok) return registers;
  const parent = body["parent"];
  if (parent !== undefined && !isIdText(parent)) return fail("invalid");
  const state: RecordState = {
    id: id as RecordId,
    collection,
    ...(parent === undefined ? {} : { parent: parent as RecordId }),
    registers: registers.value,
  };
  return ok({ state, ...place, line: body });
}

/** Reads a base entry or past clock: `[lamport, writer, value hash]`, or null for "nothing there". */
export function decodeBaseEntry(value: JsonValue | undefined): BaseEntry | undefined {
  if (value === null) return null;
  if (!isArray(value) || value.length !== 3) return undefined;
  const [lamport, writer, hash] = value;
  if (!isLamport(lamport) || !isIdText(writer) || !isIdText(hash)) return undefined;
  return [lamport, writer as WriterId, hash];
}

/**
 * Whether every object has a member of this name: it would be found in registers, bases and pasts
 * that lack it, and writing `__proto__` would give them members that nobody sent (WR1).
 */
export function isInheritedName(name: string): boolean {
  return name in {};
}

type OpHead = Pick<Op, "n" | "record" | "collection" | "lamport" | "at">;

function decodeOpHead(body: JsonObject): OpHead | undefined {
  const { n, record, collection, lamport, at } = body;
  if (!isCount(n) || !isLamport(lamport) || !isWallTime(at)) return undefined;
  if (!isIdText(record) || !isIdText(collection)) return undefined;
  return { n, record: record as RecordId, collection, lamport, at };
}

function decodeFields(value: JsonValue | undefined): Result<JsonObject, RejectCode> {
  if (!isObject(value)) return fail("invalid");
  const names = Object.keys(value);
  if (names.length > limits.fieldsMax) return fail("too-large");
  if (names.some((name) => name.length > limits.fieldNameMax)) return fail("too-large");
  if (names.some(isInheritedName)) return fail("invalid");
  return isCanonicalObject(value) ? ok(value) : fail("invalid");
}

function decodeBase(value: JsonValue | undefined): Base | undefined {
  if (!isObject(value)) return undefined;
  const base: Record<string, BaseEntry> = {};
  for (const [field, raw] of Object.entries(value)) {
    const entry = decodeBaseEntry(raw);
    if (entry === undefined || isInheritedName(field)) return undefined;
    base[field] = entry;
  }
  return base;
}

function decodeRegisters(body: JsonObject): Result<Readonly<Record<string, Register>>, RejectCode> {
  const fields = decodeFields(body["fields"]);
  if (!fields.ok) return fields;
  if (Object.keys(fields.value).length === 0) return fail("invalid");
  const stamp = decodeClock([body["lamport"] ?? null, body["writer"] ?? null, body["at"] ?? null]);
  const clocks = body["clocks"] ?? {};
  if (stamp === undefined || !isObject(clocks)) return fail("invalid");
  const registers: Record<string, Register> = {};
  for (const [field, value] of Object.entries(fields.value)) {
    const raw = clocks[field];
    const own = raw === undefined ? stamp : decodeClock(raw);
    if (own === undefined) return fail("invalid");
    const clock: Clock = { lamport: own[0], writer: own[1] };
    registers[field] = { value, clock, at: own[2] };
  }
  return ok(registers);
}

function decodeClock(value: JsonValue): CompactClock | undefined {
  if (!isArray(value) || value.length !== 3) return undefined;
  const [lamport, writer, at] = value;
  if (!isLamport(lamport) || !isIdText(writer) || !isWallTime(at)) return undefined;
  return [lamport, writer as WriterId, at];
}

function parseObject(line: string): JsonObject | undefined {
  try {
    const body = JSON.parse(line) as JsonValue;
    return isObject(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

function isIdText(value: JsonValue | undefined): value is string {
  return typeof value === "string" && isId(value);
}

/** A count or a place: an integer from 1 on. */
function isCount(value: JsonValue | undefined): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}

/** Milliseconds since 1970: an integer from 0 on. */
function isWallTime(value: JsonValue | undefined): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
