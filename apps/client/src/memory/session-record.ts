import { isObject, type JsonObject, type JsonValue } from "@tidemark/protocol";
import type { AgentEvent } from "../capture/event.ts";
import { isCommit } from "../capture/rules/commit.ts";
import { requestTitle } from "../capture/rules/request.ts";
import { sessionOutcome, sessionTitle } from "../capture/session.ts";
import { mergedOutcome } from "./merged-outcome.ts";

/** A moment of a session, and what is known of the session already. */
export interface SessionMoment {
  readonly event: AgentEvent;
  readonly past: readonly AgentEvent[];
  /** Fields of its record; undefined where there is none yet. */
  readonly known: JsonObject | undefined;
  readonly project: string;
  readonly atMs: number;
}

/** The fields of a session's record that a moment changes (CP56); undefined where it changes none. */
export function sessionFields(moment: SessionMoment): JsonObject | undefined {
  const fields = { ...startFields(moment), ...titleFields(moment), ...endFields(moment) };
  return Object.keys(fields).length === 0 ? undefined : fields;
}

function startFields({ event, known, project, atMs }: SessionMoment): JsonObject {
  if (known === undefined) return { agent: event.agent, project, startedAt: atMs };
  const isResumed = event.event === "session-start" && typeof known["endedAt"] === "number";
  return isResumed ? { endedAt: null } : {};
}

/**
 * The first request names a session; until it comes, the folder does. What names it is kept beside the
 * title: a session outlives what is kept of its events, and a late prompt is not its request.
 */
function titleFields({ event, past, known }: SessionMoment): JsonObject {
  const events = [...past, event];
  if (known === undefined) return namedFields(events);
  return event.event === "prompt" && requestOf(known) === undefined ? namedFields(events) : {};
}

function namedFields(events: readonly AgentEvent[]): JsonObject {
  const request = requestTitle(events);
  return { title: sessionTitle(events), ...(request === undefined ? {} : { request }) };
}

/** What names a session already; where an earlier version wrote the record, its outcome tells. */
function requestOf(known: JsonObject): string | undefined {
  const outcome = known["outcome"];
  const told = isObject(outcome ?? null) ? (outcome as JsonObject)["request"] : undefined;
  const request = known["request"] ?? told;
  return typeof request === "string" ? request : undefined;
}

function endFields({ event, past, known, atMs }: SessionMoment): JsonObject {
  const isEnd = event.event === "session-end";
  if (!isEnd && !isStop(event)) return {};
  const outcome = outcomeOf([...past, event], known);
  if (!isEnd) return { outcome };
  const reason = event.reason === undefined ? {} : { endReason: event.reason };
  return { endedAt: atMs, ...reason, outcome };
}

/** What a session came to is told when a turn ends, and on the way in turns that outlast the log. */
function isStop(event: AgentEvent): boolean {
  return event.event === "turn-end" || event.event === "compact" || isCommit(event);
}

/** What the record told before stays true: events are kept for a while, the record for good (CP20). */
function outcomeOf(events: readonly AgentEvent[], known: JsonObject | undefined): JsonValue {
  const before = known?.["outcome"] ?? null;
  const outcome = mergedOutcome(isObject(before) ? before : {}, sessionOutcome(events));
  const request = known === undefined ? undefined : requestOf(known);
  const { checks, unsolved, ...rest } = outcome;
  return {
    ...rest,
    ...(request === undefined ? {} : { request }),
    checks: checks.map((check) => ({ ...check })),
    ...(unsolved === undefined ? {} : { unsolved: { ...unsolved } }),
  };
}
