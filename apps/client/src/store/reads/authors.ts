import { oldestRegister, type JsonValue, type LiveRecord, type WriterId } from "@tidemark/protocol";
import type { StoreContext, StoreIdentity } from "../context.ts";
import type { Author } from "../local-store.ts";
import type { WriterRow } from "../rows.ts";

/** Who is behind writers, and how far what they wrote is trusted (DESIGN §9). */
export interface Authors {
  author(namespace: string, writer: WriterId): Author;
  /** 4 this device, 3 my other device, 2 a team-mate, 1 unknown; at most what the origin allows. */
  trust(namespace: string, record: LiveRecord): number;
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
  return {
    author: (namespace, writer) => person(namespace, writer).author,
    trust: (namespace, record) => {
      const writers = contentWriters(record).map((writer) => person(namespace, writer).trust);
      return Math.min(originCap(record), ...writers);
    },
  };
}

interface Person {
  readonly author: Author;
  readonly trust: number;
}

function readPerson(context: StoreContext, namespace: string, writer: WriterId): Person {
  const row = context.db.get<WriterRow>(
    `SELECT namespace, writer, own, device, device_name, user, user_name FROM writers
     WHERE namespace = ? AND writer = ?`,
    namespace,
    writer,
  );
  if (row === undefined) return { author: { user: null, device: null }, trust: 1 };
  const identity = context.identity();
  const isOwn = row.own === 1 || (row.device !== null && row.device === identity?.device.id);
  if (isOwn) return { author: ownAuthor(row, identity), trust: 4 };
  const author = { user: row.user_name, device: row.device_name };
  if (row.user === null) return { author, trust: 1 };
  return { author, trust: row.user === identity?.user?.id ? 3 : 2 };
}

// This device knows its own names best: the server may have older ones.
function ownAuthor(row: WriterRow, identity: StoreIdentity | undefined): Author {
  const user = identity?.user?.name ?? row.user_name;
  return { user, device: identity?.device.name ?? row.device_name };
}

// Fields that say where a record stands; whoever sets them puts no words in front of an agent.
const stateFields: ReadonlySet<string> = new Set([
  "pinned",
  "archived",
  "supersededBy",
  "supersedes",
]);

// A record is trusted no further than the least trusted hand in its words: an edit of mine by
// somebody else is not mine any more.
function contentWriters(record: LiveRecord): readonly WriterId[] {
  const oldest = oldestRegister(record.registers);
  const writers = new Set<WriterId>(oldest === undefined ? [] : [oldest.clock.writer]);
  for (const [field, { clock }] of Object.entries(record.registers)) {
    if (!stateFields.has(field)) writers.add(clock.writer);
  }
  return [...writers];
}

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
