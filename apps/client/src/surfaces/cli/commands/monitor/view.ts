import { collections, isObject, type JsonValue } from "@tidemark/protocol";
import { lastTokenUse, type TokenUse } from "../../../../capture/token-use.ts";
import { readFileEnd } from "../../../../platform/file-end.ts";
import type { AgentEventEntry } from "../../../../store/session-log.ts";
import { lastFailureName, readLastFailure } from "../../../../sync/last-failure.ts";
import { namespaceStatuses, type NamespaceStatus } from "../../../../sync/status.ts";
import type { CliDeps } from "../../deps.ts";

/** A session of the last day. */
export interface SessionRow {
  readonly id: string;
  readonly title: string;
  readonly agent: string;
  readonly events: number;
  /** Observations that it left. */
  readonly captured: number;
  /** What it was given of memory, and what that took. */
  readonly given: number;
  readonly givenTokens: number;
  /** What its own transcript says that stands in its window; null where it says nothing. */
  readonly use: TokenUse | null;
  readonly lastAt: number;
}

/** What the monitor shows. */
export interface MonitorView {
  readonly sessions: readonly SessionRow[];
  readonly captured: readonly {
    readonly id: string;
    readonly kind: string;
    readonly title: string;
    readonly createdAt: number;
  }[];
  readonly isPaired: boolean;
  readonly namespaces: readonly Pick<
    NamespaceStatus,
    "id" | "name" | "status" | "outbox" | "unverified" | "rejected" | "synced" | "syncedAt"
  >[];
  /** Why the last sync failed; null where it did not. */
  readonly failure: { readonly message: string; readonly at: number } | null;
}

const dayMs = 86_400_000;
const sessionsMax = 8;
const capturedMax = 8;
const givingsMax = 1_000;
/** An answer and the tools' output behind it fit in here. */
const transcriptBytesMax = 4_194_304;

/** Reads the store when somebody has written, and transcripts when they have grown. */
export function createViewer(deps: Pick<CliDeps, "memory" | "home" | "clock">): () => MonitorView {
  const { store } = deps.memory();
  const uses = new Map<string, { readonly mark: string; readonly use: TokenUse | null }>();
  let last: { readonly version: string; readonly view: MonitorView; paths: Paths } | undefined;
  return () => {
    const version = `${store.upkeep.version()} ${Math.floor(deps.clock.nowMs() / 60_000)}`;
    if (last?.version !== version) last = { version, ...read(deps) };
    const { view, paths } = last;
    const sessions = view.sessions.map((one) => ({ ...one, use: useOf(paths.get(one.id)) }));
    return { ...view, sessions };
  };

  function useOf(path: string | undefined): TokenUse | null {
    if (path === undefined) return null;
    const known = uses.get(path);
    const end = readFileEnd(path, transcriptBytesMax, known?.mark);
    if (end === undefined) return known?.use ?? null;
    // A line without an end is still being written; the count before it holds.
    const use = lastTokenUse(end.lines) ?? known?.use ?? null;
    uses.set(path, { mark: end.mark, use });
    return use;
  }
}

type Paths = ReadonlyMap<string, string>;

function read(deps: Pick<CliDeps, "memory" | "home" | "clock">): {
  readonly view: MonitorView;
  readonly paths: Paths;
} {
  const { reads, replicas, sessions, upkeep } = deps.memory().store;
  const paths = new Map<string, string>();
  const rows = sessions
    .sessionsSince(deps.clock.nowMs() - dayMs)
    .slice(0, sessionsMax)
    .map((id) => {
      const events = sessions.events(id);
      const path = transcriptOf(events);
      if (path !== undefined) paths.set(id, path);
      return sessionRow(deps, id, events);
    });
  const isPaired = deps.home().identity() !== undefined;
  const failure = isPaired ? readLastFailure(upkeep.meta(lastFailureName)) : undefined;
  const namespaces = namespaceStatuses(replicas.replicas(), failure).map(
    ({ id, name, status, outbox, unverified, rejected, synced, syncedAt }) => ({
      id,
      name,
      status,
      outbox,
      unverified,
      rejected,
      synced,
      syncedAt,
    }),
  );
  const captured = reads
    .list({ limit: capturedMax })
    .map(({ id, kind, title, createdAt }) => ({ id, kind, title, createdAt }));
  const failed = failure === undefined ? null : { message: failure.message, at: failure.at };
  return { view: { sessions: rows, captured, isPaired, namespaces, failure: failed }, paths };
}

function sessionRow(
  deps: Pick<CliDeps, "memory">,
  id: string,
  events: readonly AgentEventEntry[],
): SessionRow {
  const { reads, sessions } = deps.memory().store;
  const found = reads.find(id, { collection: collections.session });
  const title = found.ok ? textOf(found.value.fields["title"]) : "";
  const last = events.at(-1);
  const givings = sessions.givings(givingsMax, id);
  return {
    id,
    title: title === "" ? id : title,
    agent: textOf(fieldOf(last?.payload, "agent")),
    events: events.length,
    captured: reads.count({ session: id }),
    given: sessions.injected(id).size,
    givenTokens: givings.reduce((sum, { tokens }) => sum + tokens, 0),
    use: null,
    lastAt: last?.atMs ?? 0,
  };
}

/** The transcript that the session's own hooks named last; a sub-agent has another one. */
function transcriptOf(events: readonly AgentEventEntry[]): string | undefined {
  const own = events.findLast(
    ({ payload }) =>
      fieldOf(payload, "agentId") === undefined &&
      textOf(fieldOf(payload, "transcriptPath")) !== "",
  );
  return own === undefined ? undefined : textOf(fieldOf(own.payload, "transcriptPath"));
}

function fieldOf(payload: JsonValue | undefined, name: string): JsonValue | undefined {
  return payload !== undefined && isObject(payload) ? payload[name] : undefined;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
