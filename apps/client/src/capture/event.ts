import type { JsonValue } from "./json.ts";

/** What happened, in words that all agents share. */
export type EventKind =
  | "session-start"
  | "prompt"
  | "tool"
  | "tool-failed"
  | "turn-end"
  | "turn-failed"
  | "subagent-start"
  | "subagent-end"
  | "compact"
  | "session-end"
  | "other";

/** One use of a tool. `response` is text, shortened in its middle where it is long. */
export interface ToolUse {
  readonly name: string;
  readonly input: JsonValue;
  readonly response?: string;
  readonly id?: string;
  readonly ok: boolean;
  readonly ms?: number;
}

/** One moment of an agent's session, whichever agent told it and by whichever way. */
export interface AgentEvent {
  readonly agent: string;
  readonly event: EventKind;
  /** The host's own name of the event. */
  readonly name: string;
  readonly sessionId: string;
  readonly promptId?: string;
  readonly agentId?: string;
  readonly agentType?: string;
  readonly cwd?: string;
  readonly transcriptPath?: string;
  readonly prompt?: string;
  readonly tool?: ToolUse;
  /** What the assistant said: the last words of a turn, or words on the way (event "other"). */
  readonly assistant?: string;
  readonly source?: string;
  readonly reason?: string;
  readonly error?: string;
  readonly atMs?: number;
  /** The same for the same moment, however often and by whichever way it is told. */
  readonly key: string;
}

/**
 * The outcome of reading one payload: an event, or the reason why there is none. A payload may tell of
 * more: a patch of several files is an event for each.
 */
export type Parsed =
  | { readonly ok: true; readonly event: AgentEvent; readonly more?: readonly AgentEvent[] }
  | { readonly ok: false; readonly skip: { readonly reason: string } };

/** A {@link Parsed} that holds no event. */
export function skipped(reason: string): Parsed {
  return { ok: false, skip: { reason } };
}
