import type { AgentEvent } from "../capture/event.ts";
import { inFlightOf, type InFlight } from "../capture/in-flight.ts";
import type { SessionLog } from "../store/session-log.ts";

/** Sessions that are looked at for the last one of a project. */
const sessionsMax = 50;
/** How long ago it may have told of something, in milliseconds: 30 days, as long as events are kept. */
const ageMsMax = 2_592_000_000;

/** What the last session of a project on this device leaves in flight; undefined where none asked. */
export function lastInFlight(
  sessions: Pick<SessionLog, "events" | "sessionsSince">,
  { nowMs, isHere }: { readonly nowMs: number; readonly isHere: (folder: string) => boolean },
): InFlight | undefined {
  for (const session of sessions.sessionsSince(nowMs - ageMsMax).slice(0, sessionsMax)) {
    const events = sessions.events(session).map(({ payload }) => payload as unknown as AgentEvent);
    const folder = events.findLast(({ cwd }) => cwd !== undefined)?.cwd;
    if (folder === undefined || !isHere(folder)) continue;
    const found = inFlightOf(events);
    if (found !== undefined) return found;
  }
  return undefined;
}
