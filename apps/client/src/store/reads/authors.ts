import {
  compareClocks,
  oldestRegister,
  type Clock,
  type JsonValue,
  type LiveRecord,
  type Register,
  type WriterId,
} from "@tidemark/protocol";
import type { StoreContext, StoreIdentity } from "../context.ts";
import type { Author } from "../local-store.ts";
import { readSuspects } from "../records/suspects.ts";
import type { WriterRow } from "../rows.ts";
import { isReviewed, stateFields } from "./review.ts";

/** Who is behind writers, and how far what they wrote is trusted (DESIGN §9). */
export interface Authors {
  author(namespace: string, writer: WriterId): Author;
  /** Whether a writer is of this device's own person; `unknown` where nobody has said. */
  whose(namespace: string, writer: WriterId): "me" | "other" | "unknown";
  /** Who last wrote content of a record on another device than its author's (RC12). */
  editor(namespace: string, record: LiveRecord): Author | null;
  /**
   * 4 this device, 3 my other device, 2 a team-mate, 1 a machine, unknown, or a member of less than a
   * day (RC29), 0 a device in quarantine (QU5); at most what the origin allows, and at least 2 where
   * its own person has reviewed it (RC13).
   *
   * @param seq where the server has the record, which says whether a quarantine reaches it
   */
  trust(namespace: string, record: LiveRecord, seq: number | null): number;
  /** Whether its own person has reviewed a record as it stands (RC13). */
  isReviewed(namespace: string, record: LiveRecord, seq: number | null): boolean;
  /** Whose hands are in the words of a record, and which of them a quarantine reaches. */
  words(namespace: string, record: LiveRecord, seq: number | null): readonly Word[];
}

/** One hand in the words of a record. */
export interface Word {
  /** Null where nobody has said whose it is. */
  readonly device: string | null;
  readonly clock: Clock;
  readonly isDoubted: boolean;
}

/** How far the quarantines of a namespace reach. */
interface Reach {
  readonly aboveByDevice: ReadonlyMap<string, number>;
  /** Undefined where there are none. */
  readonly lowest: number | undefined;
}

function reachOf(context: StoreContext, namespace: string): Reach {
  const rows = readSuspects(context, namespace);
  const places = rows.map(({ above }) => above);
  return {
    aboveByDevice: new Map(rows.map(({ device, above }) => [device, above])),
    lowest: places.length === 0 ? undefined : Math.min(...places),
  };
}

/** Reads authors for one call; a writer is looked up once. */
export function createAuthors(context: StoreContext): Authors {
  const known = new Map<string, Person>();
  const person = (namespace: string, writer: WriterId): Person => {
    const key = `${namespace} ${writer}`;
    const found = known.get(key) ?? readPerson(context, namespace, writer);
    known.set(key, found);
    return found;
  };
  const reach = new Map<string, Reach>();
  const isDoubted = (namespace: string, writer: WriterId, seq: number | null): boolean => {
    const found = reach.get(namespace) ?? reachOf(context, namespace);
    reach.set(namespace, found);
    if (found.lowest === undefined) return false;
    const { id } = person(namespace, writer);
    // Who forges a writer that the server does not know must not get around it.
    const above = id === null ? found.lowest : found.aboveByDevice.get(id);
    return above !== undefined && (seq === null || seq > above);
  };
  const trustIn =
    (namespace: string, seq: number | null) =>
    ({ clock }: Register): number =>
      isDoubted(namespace, clock.writer, seq) ? 0 : person(namespace, clock.writer).trust;
  return {
    author: (namespace, writer) => person(namespace, writer).author,
    whose: (namespace, writer) => person(namespace, writer).whose,
    editor: (namespace, record) => {
      const of = ({ clock }: Register): Person => person(namespace, clock.writer);
      const oldest = oldestRegister(record.registers);
      const device = oldest === undefined ? "" : of(oldest).device;
      const newest = contentRegisters(record)
        .filter((register) => of(register).device !== device)
        .toSorted((left, right) => compareClocks(right.clock, left.clock))[0];
      return newest === undefined ? null : of(newest).author;
    },
    trust: (namespace, record, seq) => {
      const of = trustIn(namespace, seq);
      const trust = Math.min(originCap(record), ...handsIn(record).map(of));
      const isSeen = isReviewed(record, { sha256: context.sha256, trustOf: of });
      return isSeen ? Math.max(reviewedTrust, trust) : trust;
    },
    isReviewed: (namespace, record, seq) =>
      isReviewed(record, { sha256: context.sha256, trustOf: trustIn(namespace, seq) }),
    words: (namespace, record, seq) =>
      handsIn(record).map(({ clock }) => ({
        device: person(namespace, clock.writer).id,
        clock,
        isDoubted: isDoubted(namespace, clock.writer, seq),
      })),
  };
}

interface Person {
  readonly author: Author;
  readonly trust: number;
  readonly whose: "me" | "other" | "unknown";
  /** The same for all writers of one device. */
  readonly device: string;
  /** The device as the server calls it; null where nobody has said whose the writer is. */
  readonly id: string | null;
}

function readPerson(context: StoreContext, namespace: string, writer: WriterId): Person {
  const row = context.db.get<WriterRow>(
    `SELECT namespace, writer, own, device, device_name, user, user_name, machine, joined_at FROM writers
     WHERE namespace = ? AND writer = ?`,
    namespace,
    writer,
  );
  // A device's id has no space in it, so none is taken for a writer without one.
  const device = row?.device ?? `of ${writer}`;
  if (row !== undefined) return personOf(row, { identity: context.identity(), device, nowMs: context.clock.nowMs() }); // prettier-ignore
  const author = { user: null, device: null };
  return { author, trust: 1, whose: "unknown", device, id: null };
}

/** For how long the words of a new member wait for somebody's eyes, in milliseconds. */
const newMemberMs = 86_400_000;

interface Beside {
  readonly identity: StoreIdentity | undefined;
  readonly device: string;
  readonly nowMs: number;
}

function personOf(row: WriterRow, { identity, device, nowMs }: Beside): Person {
  if (isOfThisDevice(row, identity)) return thisDevice(row, identity);
  const told = { author: { user: row.user_name, device: row.device_name }, device, id: row.device };
  if (row.user === null) return { ...told, trust: 1, whose: "unknown" };
  if (row.user === identity?.user?.id) {
    return { ...told, trust: isMachine(row) ? 1 : 3, whose: "me" };
  }
  const whose = identity?.user === undefined ? "unknown" : "other";
  return { ...told, trust: matesTrust(row, nowMs), whose };
}

function isOfThisDevice({ own, device }: WriterRow, identity: StoreIdentity | undefined): boolean {
  return own === 1 || (device !== null && device === identity?.device.id);
}

function matesTrust(row: WriterRow, nowMs: number): number {
  return isMachine(row) || isNewMember(row, nowMs) ? 1 : 2;
}

/** No person has read what a machine writes, and a change that it tests may have made it say so. */
function isMachine({ machine }: WriterRow): boolean {
  return machine === 1;
}

/** Whoever gets in by a stolen invite would be in everybody's next session at once. */
function isNewMember({ joined_at: joinedAt }: WriterRow, nowMs: number): boolean {
  return joinedAt !== null && nowMs < joinedAt + newMemberMs;
}

function thisDevice(row: WriterRow, identity: StoreIdentity | undefined): Person {
  const id = row.device ?? identity?.device.id ?? "";
  return { author: ownAuthor(row, identity), trust: 4, whose: "me", device: "this one", id };
}

// This device knows its own names best: the server may have older ones.
function ownAuthor(row: WriterRow, identity: StoreIdentity | undefined): Author {
  const user = identity?.user?.name ?? row.user_name;
  return { user, device: identity?.device.name ?? row.device_name };
}

function contentRegisters(record: LiveRecord): readonly Register[] {
  return Object.entries(record.registers).flatMap(([field, register]) =>
    stateFields.has(field) ? [] : [register],
  );
}

// A record is trusted no further than the least trusted hand in its words: an edit of mine by
// somebody else is not mine any more.
function handsIn(record: LiveRecord): readonly Register[] {
  const oldest = oldestRegister(record.registers);
  return [...(oldest === undefined ? [] : [oldest]), ...contentRegisters(record)];
}

/** What a review lifts a record to: shown, but not with the trust of one's own words. */
const reviewedTrust = 2;
const capByOrigin = new Map<JsonValue, number>([
  ["user", 4],
  ["agent", 3],
  ["tool", 2],
  ["web", 1],
  ["import", 1],
]);

function originCap(record: LiveRecord): number {
  const cap = (field: string): number =>
    capByOrigin.get(record.registers[field]?.value ?? null) ?? 1;
  const edited = record.registers["editedOrigin"] === undefined ? 4 : cap("editedOrigin");
  const own = record.registers["origin"] === undefined ? 4 : cap("origin");
  return Math.min(own, edited);
}
