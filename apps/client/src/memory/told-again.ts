import type { AgentEvent, EventKind } from "../capture/event.ts";
import type { AgentEventEntry } from "../store/session-log.ts";

/** What has to have come since, for a moment that is told in the same words to be another one. */
const comesBetween: Partial<Record<EventKind, (event: AgentEvent) => boolean>> = {
  "session-start": ({ event }) => event === "session-end",
  "turn-end": ({ event }) => event === "prompt",
  "session-end": () => true,
};

/**
 * A key of its own for a moment that another one of its session has the key of (CP94): a session that
 * is resumed ends twice, and many a turn ends in the words of an earlier one. It is told apart by its
 * turn, which a hook and a transcript both name, else by its time. Undefined for what is the first
 * with its key, and for what hooks, spools and transcripts only tell twice.
 */
export function keyOfAnother(
  history: readonly AgentEventEntry[],
  event: AgentEvent,
  atMs: number,
): string | undefined {
  const isBetween = comesBetween[event.event];
  if (isBetween === undefined || !history.some(({ key }) => key === event.key)) return undefined;
  const start = `${event.key}/again/`;
  const isTold = ({ key }: AgentEventEntry): boolean => key === event.key || key.startsWith(start);
  const turn = event.event === "turn-end" ? event.promptId : undefined;
  const told = history.filter(isTold).map(({ payload }) => eventIn(payload));
  if (turn !== undefined && told.some(({ promptId }) => promptId === turn)) return undefined;
  const since = history.slice(history.findLastIndex(isTold) + 1);
  const isLater = since.every((each) => each.atMs <= atMs);
  const isAnother = isLater && since.some(({ payload }) => isBetween(eventIn(payload)));
  return isAnother ? start + (turn ?? String(atMs)) : undefined;
}

function eventIn(payload: AgentEventEntry["payload"]): AgentEvent {
  return payload as unknown as AgentEvent;
}
