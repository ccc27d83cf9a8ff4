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
  const earlier = shownOf(reads, {
    filter: { ...around, beforeMs: anchor.createdAt, order: "newest" },
    count: before,
    anchor,
  });
  // Observations of one moment share its time: they count as later ones.
  const later = shownOf(reads, {
    filter: { ...around, sinceMs: anchor.createdAt, order: "oldest" },
    count: after,
    anchor,
  });
  return [...earlier.toReversed(), anchor, ...later];
}

/** Observations that are read at once. */
const pageRows = 50;

/** The first of a list that are shown: however many stand in quarantine, they take no places. */
function shownOf(
  { list }: Pick<RecallReads, "list">,
  wanted: {
    readonly filter: ObservationFilter;
    readonly count: number;
    readonly anchor: Observation;
  },
): readonly Observation[] {
  const { filter, count, anchor } = wanted;
  const shown: Observation[] = [];
  // The anchor may be among the first; more is read only where some of these are not shown.
  let offset = 0;
  while (shown.length < count) {
    const limit = offset === 0 ? count + 1 : pageRows;
    const page = list({ ...filter, offset, limit });
    shown.push(...page.filter(({ id, trust }) => id !== anchor.id && trust > 0));
    if (page.length < limit) break;
    offset += limit;
  }
  return shown.slice(0, count);
}

function aroundOf({ namespace, project, session }: Observation): ObservationFilter {
  if (project !== null) return { namespaces: [namespace], project, includeHidden: true };
  const namespaces = [namespace];
  if (session !== null) return { namespaces, session, includeHidden: true };
  return { namespaces, includeHidden: true };
}
