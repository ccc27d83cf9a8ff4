import type { ObservationFilter } from "../store/local-store.ts";
import type { Observation } from "../store/observation.ts";
import type { RecallReads } from "./reads.ts";

/** How far a timeline looks, in observations. */
export interface TimelineReach {
  readonly before: number;
  readonly after: number;
}

/**
 * What happened around an observation, oldest first, itself among it (RC7): in its project where
 * it has one, else in its session, else in its namespace. What stands in quarantine is no part of
 * it (QU5).
 */
export function timelineOf(
  reads: Pick<RecallReads, "list">,
  anchor: Observation,
  { before, after }: TimelineReach,
): readonly Observation[] {
  const around = aroundOf(anchor);
  const earlier = reads
    .list({ ...around, beforeMs: anchor.createdAt, order: "newest", limit: before })
    .filter(isShown);
  // Observations of one moment share its time: they count as later ones.
  const later = reads
    .list({ ...around, sinceMs: anchor.createdAt, order: "oldest", limit: after + 1 })
    .filter((one) => one.id !== anchor.id && isShown(one));
  return [...earlier.toReversed(), anchor, ...later.slice(0, after)];
}

function isShown({ trust }: Observation): boolean {
  return trust > 0;
}

function aroundOf({ namespace, project, session }: Observation): ObservationFilter {
  if (project !== null) return { namespaces: [namespace], project, includeHidden: true };
  const namespaces = [namespace];
  if (session !== null) return { namespaces, session, includeHidden: true };
  return { namespaces, includeHidden: true };
}
