import type { AgentEvent } from "../event.ts";
import { stableKey } from "../payload/identity.ts";

const closing: ReadonlySet<string> = new Set(["turn-end", "turn-failed", "session-end", "prompt"]);

/** Whether an event ends a turn: its own end, or what comes after it where no end was told. */
export function isClosing(event: AgentEvent): boolean {
  return closing.has(event.event);
}

/** The events of the turn that comes to its end. */
export function openTurn(history: readonly AgentEvent[]): readonly AgentEvent[] {
  return history.slice(history.findLastIndex(isClosing) + 1);
}

/** The key of what the turn has changed that this event closes. */
export function turnChangeKey(event: AgentEvent): string {
  return stableKey(event.key, "turn-change");
}

/** The key of a failure, for what comes to explain it. */
export function failureKey(event: AgentEvent): string {
  return stableKey(event.key, "failure");
}
