import {
  collections,
  derivedId,
  isCredibleTime,
  localNamespace,
  ok,
  unpairedNamespace,
  type JsonValue,
  type NamespaceId,
  type RecordId,
  type Result,
  type Sha256,
  type ValueError,
} from "@tidemark/protocol";
import type { Draft } from "../capture/draft.ts";
import type { AgentEvent } from "../capture/event.ts";
import { extract } from "../capture/extract.ts";
import { isCommit } from "../capture/rules/commit.ts";
import type { ChangeError } from "../store/local-store.ts";
import type { Observation } from "../store/observation.ts";
import { sessionEventsMax, type AgentEventEntry } from "../store/session-log.ts";
import type { ScrubbedFields } from "../store/scrubbed-fields.ts";
import type { CaptureDeps } from "./deps.ts";
import { memoryLimits } from "./limits.ts";
import { nearDuplicateOf } from "./near-duplicate.ts";
import type { Scrub } from "./scrub.ts";
import { scrubCaptured, scrubFields } from "./scrub-content.ts";
import { sessionFields } from "./session-record.ts";
import { slimEvent } from "./slim-event.ts";
import { keyOfAnother } from "./told-again.ts";

/** Where a captured event belongs. */
export interface CapturePlace {
  readonly namespace: NamespaceId;
  readonly project: string;
  /** Wall time of the event where it tells none itself that can be one. */
  readonly atMs: number;
}

/** What came of an event. */
export interface CaptureReport {
  /** False where the event had been captured before; nothing was written. */
  readonly isNew: boolean;
  /** Observations that were added. */
  readonly added: readonly RecordId[];
  /** Drafts that no namespace took, such as those of forgotten observations. */
  readonly refused: number;
}

/** The id of a session's record: the same on every device that sees the session. */
export function sessionRecordId(sha256: Sha256, agent: string, sessionId: string): RecordId {
  return derivedId(sha256, "session", [agent, sessionId]);
}

/**
 * A host's payload without secrets, before anything reads or shortens it (SC53): a parser's cut
 * could leave half a secret behind, and its keys could be derived from one.
 */
export function scrubPayload(scrub: Scrub, payload: unknown): JsonValue {
  return scrub.payload(payload as JsonValue);
}

/** One line of a transcript without secrets, for a reader that parses lines; JSON stays JSON. */
export function scrubLine(scrub: Pick<Scrub, "payload" | "text">, line: string): string {
  try {
    return JSON.stringify(scrub.payload(JSON.parse(line) as JsonValue));
  } catch {
    return scrub.text(line);
  }
}

/**
 * Captures one event of a scrubbed payload (CP53): the event, the observations that the rules find
 * in it and the session's record, in one transaction. The event's key makes it idempotent: hooks
 * run twice, spools are drained twice, transcripts repeat what hooks told.
 */
export function captureEvent(
  deps: CaptureDeps,
  event: AgentEvent,
  place: CapturePlace,
): Result<CaptureReport, ValueError> {
  const session = sessionRecordId(deps.sha256, event.agent, event.sessionId);
  const { store } = deps;
  const { atMs: toldMs } = event;
  // A transcript may say anything; what cannot be is as good as nothing (CP68).
  const isBelieved = toldMs !== undefined && isCredibleTime(toldMs, place.atMs);
  const atMs = isBelieved ? toldMs : place.atMs;
  return store.transact<Result<CaptureReport, ValueError>>(() => {
    const history = store.sessions.events(session, lookBack(event));
    const known = deps.scrub.text(event.key);
    const again = keyOfAnother(history, { ...event, key: known }, atMs);
    const next = again === undefined ? event : { ...event, key: again };
    const payload = deps.scrub.value(slimEvent(next as unknown as JsonValue));
    if (!payload.ok) return payload;
    const row = { key: again ?? known, session, atMs, payload: payload.value };
    if (!store.sessions.addEvent(row)) return ok({ isNew: false, added: [], refused: 0 });
    const capture: Capture = { deps, event: next, place: { ...place, atMs }, session };
    const found = store.reads.find(session);
    const told = tellable(capture, found, history);
    const past = told.map((each) => each.payload as unknown as AgentEvent);
    if (found.ok || found.error.kind !== "forgotten") keepSession(capture, past);
    return ok({ isNew: true, ...addDrafts(capture, extract(past, next)) });
  });
}

/**
 * What the place of an event may hear of the session's past: where a project was bound to this machine
 * alone before, nothing of that time (CP93).
 */
function tellable(
  { deps, place, session }: Capture,
  found: ReturnType<CaptureDeps["store"]["reads"]["find"]>,
  history: readonly AgentEventEntry[],
): readonly AgentEventEntry[] {
  const { reads } = deps.store;
  const isElsewhere = found.ok && found.value.namespace !== localNamespace;
  if (isElsewhere || place.namespace === localNamespace) return history;
  if (!reads.find(session, { namespaces: [localNamespace] }).ok) return history;
  const there = reads.find(session, { namespaces: [place.namespace] });
  const since = there.ok ? Number(there.value.fields["startedAt"]) : Infinity;
  return history.filter(({ atMs }) => atMs >= since);
}

/** Uses of tools look back on what is near; what ends a turn or a piece of work, on all of it. */
function lookBack(next: AgentEvent): number {
  const { event, tool } = next;
  if (event === "tool" && tool?.name !== "Bash") return memoryLimits.glanceEventsMax;
  if (tool === undefined || isCommit(next)) return sessionEventsMax;
  return memoryLimits.historyEventsMax;
}

interface Capture {
  readonly deps: CaptureDeps;
  readonly event: AgentEvent;
  readonly place: CapturePlace;
  readonly session: RecordId;
}

function addDrafts(
  capture: Capture,
  drafts: readonly Draft[],
): Pick<CaptureReport, "added" | "refused"> {
  const added: RecordId[] = [];
  let refused = 0;
  for (const draft of drafts) {
    const id = addDraft(capture, draft);
    if (id === "refused") refused += 1;
    else if (id !== "known") added.push(id);
  }
  return { added, refused };
}

/** One draft is one change of its own: a draft that is refused never takes others with it. */
function addDraft(capture: Capture, draft: Draft): RecordId | "known" | "refused" {
  const { deps, event, place, session } = capture;
  const id = derivedId(deps.sha256, "capture", [event.agent, event.sessionId, draft.key]);
  const known = deps.store.reads.find(id);
  if (known.ok || known.error.kind !== "unknown-record") return "known";
  const { title, narrative, facts, concepts, filesRead, filesModified } = draft;
  const texts = { title, narrative, facts, concepts, filesRead, filesModified };
  const content = scrubCaptured(deps.scrub, texts);
  const context = scrubFields(deps.scrub, {
    kind: draft.kind,
    origin: draft.origin,
    createdAt: place.atMs,
    project: place.project,
    agent: event.agent,
    session,
  });
  if (!content.ok || !context.ok) return "refused";
  const { kind, origin } = draft;
  const told = { id, namespace: place.namespace, project: place.project, kind, origin, title };
  const same = nearDuplicateOf(deps.store.reads, told);
  if (same?.becomes === "counted") return seenAgain(capture, same.earlier);
  const fields = { ...content.value, ...context.value };
  if (!put(capture, { id, collection: collections.observation, fields })) return "refused";
  if (same !== undefined) giveWay(capture, same.earlier.id, id);
  for (const key of draft.replaces ?? []) {
    giveWay(capture, derivedId(deps.sha256, "capture", [event.agent, event.sessionId, key]), id);
  }
  return id;
}

/** A check that another session ran too is counted with that session's id (CP34): no two devices set one field. */
function seenAgain({ deps, place, session }: Capture, earlier: Observation): "known" {
  const fields = scrubFields(deps.scrub, { [`seen/${session}`]: place.atMs });
  if (fields.ok) {
    const change = { kind: "set", id: earlier.id, fields: fields.value } as const;
    deps.store.changes.change(earlier.namespace, [change], place.atMs);
  }
  return "known";
}

/**
 * What was told before, the new one tells too, so it gives way (CP34). What a person has pinned or
 * anybody has changed since stays, and so does what another member wrote: they did not ask for it.
 */
function giveWay({ deps, place }: Capture, id: RecordId, successor: RecordId): void {
  const [old, next] = [deps.store.reads.find(id), deps.store.reads.find(successor)];
  if (!old.ok || !next.ok || old.value.namespace !== next.value.namespace) return;
  const { fields: before, namespace, createdAtMs, changedAtMs } = old.value;
  if (before["pinned"] === true || typeof before["supersededBy"] === "string") return;
  if (changedAtMs !== createdAtMs || !isOwn(deps, { namespace, id })) return;
  const fields = scrubFields(deps.scrub, { supersededBy: successor });
  if (!fields.ok) return;
  const change = { kind: "set", id, fields: fields.value } as const;
  deps.store.changes.change(old.value.namespace, [change], place.atMs);
}

/** Not by name: two people of a server may have the same one. */
function isOwn(
  { store }: CaptureDeps,
  { namespace, id }: Pick<Observation, "namespace" | "id">,
): boolean {
  return store.reads.count({ namespaces: [namespace], ids: [id], author: "me" }) > 0;
}

/**
 * The record goes on where the session's captures go, also where that changed since it began (CP92):
 * what was bound to one namespace since is not told in the one of before.
 */
function keepSession(capture: Capture, past: readonly AgentEvent[]): void {
  const isKept = keepSessionIn(capture, past, capture.place.namespace);
  if (!isKept) keepSessionIn(capture, past, unpairedNamespace);
}

/** False where a namespace takes no writes. */
function keepSessionIn(
  { deps, event, place, session: id }: Capture,
  past: readonly AgentEvent[],
  namespace: NamespaceId,
): boolean {
  const found = deps.store.reads.find(id, { namespaces: [namespace] });
  const known = found.ok ? found.value.fields : undefined;
  const wanted = sessionFields({ event, past, known, project: place.project, atMs: place.atMs });
  const fields = wanted === undefined ? undefined : scrubFields(deps.scrub, wanted);
  if (fields?.ok !== true) return true;
  const { session: collection } = collections;
  const change = { kind: "put", id, collection, fields: fields.value } as const;
  const kept = deps.store.changes.change(namespace, [change], place.atMs);
  return kept.ok || !isClosed(kept.error);
}

/** Puts into the project's namespace; where that takes no writes, into the personal one (CP54). */
function put(
  { deps, place }: Capture,
  record: { readonly id: RecordId; readonly collection: string; readonly fields: ScrubbedFields },
): boolean {
  const change = { kind: "put", ...record } as const;
  const { changes } = deps.store;
  const first = changes.change(place.namespace, [change], place.atMs);
  if (first.ok) return true;
  return isClosed(first.error) && changes.change(unpairedNamespace, [change], place.atMs).ok;
}

function isClosed({ kind }: ChangeError): boolean {
  return ["read-only", "parked", "unknown-namespace"].includes(kind);
}
