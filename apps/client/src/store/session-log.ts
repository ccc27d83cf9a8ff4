import { canonicalJson, type JsonValue, type RecordId } from "@tidemark/protocol";
import type { ScrubbedJson } from "@tidemark/scrubber";
import type { StoreContext } from "./context.ts";
import type { AgentEventRow } from "./rows.ts";

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
  addInjections(session: string, ids: readonly RecordId[], atMs: number): void;
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
    addInjections: (session, ids, atMs) => {
      db.transact(() => {
        for (const id of ids) {
          const sql = "INSERT OR IGNORE INTO injections (session, record, at) VALUES (?, ?, ?)";
          db.run(sql, session, id, atMs);
        }
      });
    },
    trim: (beforeMs) => {
      db.transact(() => {
        db.run("DELETE FROM agent_events WHERE at < ?", beforeMs);
        db.run("DELETE FROM injections WHERE at < ?", beforeMs);
      });
    },
  };
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

function entryOf(row: AgentEventRow): AgentEventEntry {
  const { key, session, at, payload } = row;
  return { key, session, atMs: at, payload: JSON.parse(payload) as JsonValue };
}
