import type { AgentEvent } from "../capture/event.ts";
import { agentOrigin } from "../capture/rules/taint.ts";
import type { SessionLog } from "../store/session-log.ts";

/** Where and when a model writes. */
export interface TurnPlace {
  readonly nowMs: number;
  /** Whether a folder that a session worked in belongs to the project that the model writes for. */
  readonly isHere: (folder: string) => boolean;
}

/** A turn that has told nothing for so long, in milliseconds, is over: its agent was ended. */
const turnMsMax = 6 * 3_600_000;

/**
 * What a model's own words are worth that reach the memory past the hooks, as through an MCP tool
 * (CP70). The caller names no session, so a turn under way in the same project counts, whoever's it
 * is: rather an agent's words taken for a page's than a page's for an agent's.
 */
export function turnOrigin(
  sessions: Pick<SessionLog, "events" | "sessionsSince">,
  { nowMs, isHere }: TurnPlace,
): "agent" | "web" {
  const isWeb = sessions.sessionsSince(nowMs - turnMsMax).some((session) => {
    const events = sessions.events(session).map(({ payload }) => payload as unknown as AgentEvent);
    const folder = events.findLast(({ cwd }) => cwd !== undefined)?.cwd;
    return (
      folder !== undefined && isHere(folder) && !isOver(events) && agentOrigin(events) === "web"
    );
  });
  return isWeb ? "web" : "agent";
}

// What a sub-agent has done is part of the turn, which goes on.
function isOver(events: readonly AgentEvent[]): boolean {
  const ends = events.findLastIndex(({ event }) => event === "turn-end" || event === "session-end");
  const begins = events.findLastIndex(({ event }) => event === "prompt");
  return ends > begins;
}
