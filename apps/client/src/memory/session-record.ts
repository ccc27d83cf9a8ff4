import type { JsonObject, JsonValue } from "@tidemark/protocol";
import type { AgentEvent } from "../capture/event.ts";
import { sessionOutcome, sessionTitle } from "../capture/session.ts";

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

/** The first request names a session; until it comes, the folder does. */
function titleFields({ event, past, known }: SessionMoment): JsonObject {
  const isFirstRequest =
    event.event === "prompt" && !past.some((earlier) => earlier.event === "prompt");
  if (known !== undefined && !isFirstRequest) return {};
  return { title: sessionTitle([...past, event]) };
}

function endFields({ event, past, atMs }: SessionMoment): JsonObject {
  if (event.event === "turn-end") return { outcome: outcomeOf([...past, event]) };
  if (event.event !== "session-end") return {};
  const reason = event.reason === undefined ? {} : { endReason: event.reason };
  return { endedAt: atMs, ...reason, outcome: outcomeOf([...past, event]) };
}

function outcomeOf(events: readonly AgentEvent[]): JsonValue {
  const { checks, unsolved, ...rest } = sessionOutcome(events);
  return {
    ...rest,
    checks: checks.map((check) => ({ ...check })),
    ...(unsolved === undefined ? {} : { unsolved: { ...unsolved } }),
  };
}
