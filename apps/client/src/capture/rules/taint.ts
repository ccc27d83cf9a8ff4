import type { Origin } from "../draft.ts";
import type { AgentEvent } from "../event.ts";
import { isOwnTool } from "../own-tool.ts";

/**
 * Who an agent's words come from: itself, or the web it has read in the same turn (CP19).
 *
 * Pages and other people's tools may put words into an agent's mouth, so what it says after reading
 * them is worth no more than they are.
 */
export function agentOrigin(history: readonly AgentEvent[]): Origin {
  return turnOf(history).some(({ tool }) => tool !== undefined && isForeign(tool.name))
    ? "web"
    : "agent";
}

/** The events since the last prompt. */
export function turnOf(history: readonly AgentEvent[]): readonly AgentEvent[] {
  return history.slice(history.findLastIndex((event) => event.event === "prompt") + 1);
}

function isForeign(tool: string): boolean {
  return (
    tool === "WebFetch" || tool === "WebSearch" || (tool.startsWith("mcp__") && !isOwnTool(tool))
  );
}
