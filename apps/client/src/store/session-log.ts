import { canonicalJson, type JsonValue, type RecordId } from "@tidemark/protocol";
import type { ScrubbedJson } from "@tidemark/scrubber";
import type { StoreContext } from "./context.ts";
import { readReplicas } from "./records/replicas.ts";
import type { AgentEventRow } from "./rows.ts";
import { standingOf } from "./view/standing.ts";

/** A scrubbed event of a session, on its way in. */
export interface NewAgentEvent {
  /** The same for the same moment, however often it is told: it is stored once. */
  readonly key: string;
  readonly session: string;
  readonly atMs: number;
  readonly payload: ScrubbedJson;
}

/** A stored event. */
export interface AgentEventEntry {
  readonly key: string;
  readonly session: string;
  readonly atMs: number;
  readonly payload: JsonValue;
}

/** What a session was given at one moment, and what it took of the budget. */
export interface Giving {
  readonly session: string;
  readonly atMs: number;
  /** Of the whole text: items and what frames them. */
  readonly tokens: number;
  readonly tokensMax: number;
  readonly items: readonly { readonly id: RecordId; readonly tokens: number }[];
}

/** What happened in agents' sessions on this device, and what they were given. Never synced. */
export interface SessionLog {
  /** False where the session has this event already. */
  addEvent(event: NewAgentEvent): boolean;
  /** The last events of a session, oldest first. */
  events(session: string, limit?: number): readonly AgentEventEntry[];
  /** Sessions that told of something since then, the one that did last first. */
  sessionsSince(sinceMs: number): readonly string[];
  /** When the last event was told, in wall milliseconds; undefined where none is kept. */
  lastEventAt(): number | undefined;
  injected(session: string): ReadonlySet<RecordId>;
  addGiving(giving: Giving): void;
  /** Nothing that a session was given is in its agent's sight any more. */
  dropInjected(session: string): void;
  /** What was given last, the latest first; of one session where it is named. */
  givings(limit: number, session?: string): readonly Giving[];
  /** Drops what is older. */
  trim(beforeMs: number): void;
}

/** Events of one session that are kept. */
export const sessionEventsMax = 200;

/** The session side of the store. */
export function createSessionLog(context: StoreContext): SessionLog {
  const { db } = context;
  return {
    addEvent: (event) => addEvent(context, event),
    events: (session, limit = sessionEventsMax) =>
      db
        .all<AgentEventRow>(
          `SELECT id, key, session, at, payload FROM agent_events WHERE session = ?
           ORDER BY id DESC LIMIT ?`,
          session,
          limit,
        )
        .map(entryOf)
        .toReversed(),
    sessionsSince: (sinceMs) =>
      db
        .all<{ session: string }>(
          "SELECT session FROM agent_events WHERE at >= ? GROUP BY session ORDER BY max(at) DESC",
          sinceMs,
        )
        .map(({ session }) => session),
    lastEventAt: () =>
      db.get<{ at: number }>("SELECT at FROM agent_events ORDER BY at DESC LIMIT 1")?.at,
    injected: (session) => {
      const rows = db.all<{ record: RecordId }>(
        "SELECT record FROM injections WHERE session = ?",
        session,
      );
      return new Set(rows.map(({ record }) => record));
    },
    addGiving: (giving) => {
      addGiving(context, giving);
    },
    dropInjected: (session) => {
      db.run("DELETE FROM injections WHERE session = ?", session);
    },
    givings: (limit, session) => givings(context, limit, session),
    trim: (beforeMs) => {
      db.transact(() => {
        db.run("DELETE FROM agent_events WHERE at < ?", beforeMs);
        db.run("DELETE FROM injections WHERE at < ?", beforeMs);
        db.run("DELETE FROM meta WHERE key >= ? AND key < ?", givingKey(0), givingKey(beforeMs));
      });
    },
  };
}

/** Of equal length for all times, so that the order of keys is that of time. */
function givingKey(atMs: number): string {
  return `given/${String(Math.max(0, Math.min(atMs, Number.MAX_SAFE_INTEGER))).padStart(16, "0")}/`;
}

function addGiving({ db }: StoreContext, giving: Giving): void {
  const { session, atMs, tokens, tokensMax, items } = giving;
  db.transact(() => {
    for (const { id } of items) {
      const sql = "INSERT OR IGNORE INTO injections (session, record, at) VALUES (?, ?, ?)";
      db.run(sql, session, id, atMs);
    }
    const account = { tokens, tokensMax, items: items.map((item) => [item.id, item.tokens]) };
    const sql = "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)";
    db.run(sql, `${givingKey(atMs)}${session}`, JSON.stringify(account));
  });
}

interface Account {
  readonly tokens: number;
  readonly tokensMax: number;
  readonly items: readonly (readonly [RecordId, number])[];
}

function givings({ db }: StoreContext, limit: number, session?: string): readonly Giving[] {
  const start = givingKey(0).length;
  const rows = db.all<{ key: string; value: string }>(
    `SELECT key, value FROM meta WHERE key >= 'given/' AND key < 'given0'
       AND (?1 IS NULL OR substr(key, ?2) = ?1)
     ORDER BY key DESC LIMIT ?3`,
    session ?? null,
    start + 1,
    limit,
  );
  return rows.map(({ key, value }) => {
    const { tokens, tokensMax, items } = JSON.parse(value) as Account;
    return {
      session: key.slice(start),
      atMs: Number(key.slice("given/".length, start - 1)),
      tokens,
      tokensMax,
      items: items.map(([id, each]) => ({ id, tokens: each })),
    };
  });
}

function addEvent(context: StoreContext, event: NewAgentEvent): boolean {
  return context.db.transact<boolean>(() => {
    const added = context.db.run(
      "INSERT OR IGNORE INTO agent_events (key, session, at, payload) VALUES (?, ?, ?, ?)",
      event.key,
      event.session,
      event.atMs,
      canonicalJson(event.payload),
    );
    if (added === 0) return false;
    trimSession(context, event.session);
    return true;
  });
}

function trimSession(context: StoreContext, session: string): void {
  context.db.run(
    `DELETE FROM agent_events WHERE session = ?1 AND id <= (
       SELECT id FROM agent_events WHERE session = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`,
    session,
    sessionEventsMax,
  );
}

/** Takes out what was kept of a session that was forgotten (ST29), where it stands in no other namespace. */
export function dropSession(context: StoreContext, namespace: string, session: RecordId): void {
  const others = readReplicas(context).filter((replica) => replica.namespace !== namespace);
  const isElsewhere = others.some(
    (replica) => standingOf(context, replica.namespace, session)?.isForgotten === false,
  );
  if (!isElsewhere) context.db.run("DELETE FROM agent_events WHERE session = ?", session);
}

function entryOf(row: AgentEventRow): AgentEventEntry {
  const { key, session, at, payload } = row;
  return { key, session, atMs: at, payload: JSON.parse(payload) as JsonValue };
}
