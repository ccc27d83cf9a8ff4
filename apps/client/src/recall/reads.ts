import type { RecordId } from "@tidemark/protocol";
import type { ObservationFilter, SearchHit } from "../store/local-store.ts";
import type { Observation } from "../store/observation.ts";
import type { Giving } from "../store/session-log.ts";

/** What recall reads of the store. */
export interface RecallReads {
  list(filter: ObservationFilter): readonly Observation[];
  count(filter: ObservationFilter, upTo?: number): number;
  search(match: string, filter: ObservationFilter): readonly SearchHit[];
  countMatches(match: string, filter: ObservationFilter, upTo?: number): number;
}

/** What a session was given already. */
export interface RecallSessions {
  injected(session: string): ReadonlySet<RecordId>;
  addGiving(giving: Giving): void;
}
