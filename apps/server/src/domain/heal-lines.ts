import {
  collections,
  conflictRecord,
  decodeBaseEntry,
  decodeState,
  fail,
  isArray,
  isId,
  isInheritedName,
  isLamport,
  isObject,
  isTombstone,
  ok,
  recordDigest,
  type BaseEntry,
  type JsonObject,
  type JsonValue,
  type PastClocks,
  type RecordId,
  type RecordState,
  type RejectCode,
  type Result,
  type Sha256,
  type UserId,
  type WriterId,
} from "@tidemark/protocol";

/** One delivered state, or why it is refused. */
export interface HealLine {
  readonly id: RecordId;
  readonly delivered: Result<Delivered, RejectCode>;
}

/** A state with what its side once held. */
export interface Delivered {
  readonly state: RecordState;
  readonly past: PastClocks;
  /** Who made it, as the device knows it. */
  readonly author?: UserId | undefined;
}

/** Reads one line of a heal. Fails where not even the record's id can be read. */
export function readHealLine(sha256: Sha256, line: string): Result<HealLine, "invalid"> {
  const decoded = decodeState(line);
  if (!decoded.ok) {
    const id = idOfLine(line);
    return id === undefined ? fail("invalid") : ok({ id, delivered: decoded });
  }
  const { state } = decoded.value;
  if (!isGenuine(sha256, state)) return ok({ id: state.id, delivered: fail("immutable") });
  const { line: body } = decoded.value;
  const delivered = { state, past: pastOf(body), author: authorOf(body) };
  return ok({ id: state.id, delivered: ok(delivered) });
}

function authorOf({ author }: JsonObject): UserId | undefined {
  return typeof author === "string" && isId(author) ? (author as UserId) : undefined;
}

// A conflict record follows from what lost (CF2); one that does not was changed by somebody.
function isGenuine(sha256: Sha256, state: RecordState): boolean {
  if (isTombstone(state) || state.collection !== collections.conflict) return true;
  const { field, value, lamport, writer, lostAt } = Object.fromEntries(
    Object.entries(state.registers).map(([name, register]) => [name, register.value]),
  );
  if (state.parent === undefined || value === undefined) return false;
  if (typeof field !== "string" || !isNumber(lamport) || !isNumber(lostAt)) return false;
  if (typeof writer !== "string" || !isId(writer) || !isLamport(lamport)) return false;
  const loser = { value, clock: { lamport, writer: writer as WriterId }, at: lostAt };
  const made = conflictRecord(sha256, state.parent, field, loser);
  return recordDigest(sha256, made) === recordDigest(sha256, state);
}

function isNumber(value: JsonValue | undefined): value is number {
  return typeof value === "number";
}

// A past clock that cannot be read may cost a needless conflict record, never a value.
function pastOf(line: JsonObject): PastClocks {
  const { past } = line;
  if (!isObject(past)) return {};
  const read: Record<string, readonly BaseEntry[]> = {};
  for (const [field, entries] of Object.entries(past)) {
    if (!isArray(entries) || isInheritedName(field)) continue;
    read[field] = entries.flatMap((entry) => {
      const decoded = decodeBaseEntry(entry);
      return decoded === undefined || decoded === null ? [] : [decoded];
    });
  }
  return read;
}

function idOfLine(line: string): RecordId | undefined {
  try {
    const body = JSON.parse(line) as JsonValue;
    const id = isObject(body) ? body["id"] : undefined;
    return typeof id === "string" && isId(id) ? (id as RecordId) : undefined;
  } catch {
    return undefined;
  }
}
