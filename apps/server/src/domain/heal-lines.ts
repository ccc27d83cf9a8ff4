import {
  collections,
  conflictRecord,
  decodeBaseEntry,
  decodeState,
  fail,
  isArray,
  isEncryptedId,
  isId,
  isInheritedName,
  isLamport,
  isObject,
  isTombstone,
  limits,
  ok,
  recordDigest,
  type BaseEntry,
  type JsonObject,
  type JsonValue,
  type LiveRecord,
  type NamespaceId,
  type PastClocks,
  type RecordId,
  type RecordState,
  type RejectCode,
  type Result,
  type Sha256,
  type UserId,
  type WriterId,
} from "@tidemark/protocol";
import type { SecretCheck, SyncDeps } from "./sync-deps.ts";

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

/**
 * Reads the lines of a heal. A state that holds a secret is refused (SC60), as an op would be. Fails where
 * not even a record's id can be read.
 */
export async function readHealLines(
  { sha256, secrets }: Pick<SyncDeps, "sha256" | "secrets">,
  { namespace, lines }: { readonly namespace: NamespaceId; readonly lines: readonly string[] },
): Promise<Result<readonly HealLine[], "invalid">> {
  const isLooked = secrets !== undefined && lines.length > 0 && !isEncryptedId(namespace);
  const look = isLooked ? secrets.look(lines) : undefined;
  const read: HealLine[] = [];
  for (const line of lines) {
    const next = readHealLine(sha256, line);
    if (!next.ok) {
      look?.drop();
      return next;
    }
    read.push(next.value);
  }
  if (secrets === undefined || look === undefined) return ok(read);
  const suspects = await look.end();
  return ok(read.map((line, place) => (suspects.has(place) ? withoutSecret(secrets, line) : line)));
}

function withoutSecret(secrets: SecretCheck, line: HealLine): HealLine {
  const { id, delivered } = line;
  if (!delivered.ok || isTombstone(delivered.value.state)) return line;
  const fields = namedValues(delivered.value.state);
  return secrets.holdsSecret({ fields }) ? { id, delivered: fail("secret-detected") } : line;
}

/** Values by the names under which their device scrubbed them; a value that lost has that of its field. */
function namedValues({ collection, registers }: LiveRecord): JsonObject {
  const values = Object.entries(registers).map(([name, { value }]) => [name, value] as const);
  const { field, value = null, ...others } = Object.fromEntries(values);
  if (collection !== collections.conflict || typeof field !== "string") {
    return Object.fromEntries(values);
  }
  return { ...others, [field]: value };
}

function readHealLine(sha256: Sha256, line: string): Result<HealLine, "invalid"> {
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

// A past clock that is not read may cost a needless conflict record, never a value.
function pastOf(line: JsonObject): PastClocks {
  const { past } = line;
  if (!isObject(past)) return {};
  const read: Record<string, readonly BaseEntry[]> = {};
  for (const [field, entries] of Object.entries(past)) {
    if (!isArray(entries) || isInheritedName(field)) continue;
    read[field] = entries.slice(0, limits.pastClocksMax).flatMap((entry) => {
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
