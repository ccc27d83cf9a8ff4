import type { RecordId, RecordState } from "@tidemark/protocol";
import type { Head } from "../store/port.ts";
import { storedBefore, type Known } from "./known.ts";
import type { Usage } from "./quota.ts";
import { bytesOfLive } from "./record-size.ts";

/** What a transaction adds to what its namespace holds. */
export interface Growth {
  /** Takes note that a record changed, and is stored in no more bytes than these. */
  changed(id: RecordId, bytesMax: number): void;
  /** Takes note of live records that are new, or of so many fewer. */
  addRecords(count: number): void;
  /** What a namespace that held `head` would hold now. */
  readonly usage: (head: Head) => Usage;
  /** At least that, without measuring what changed. */
  readonly usageAtMost: (head: Head) => Usage;
}

/**
 * Counts what is stored and not what was told of it (QT1): a clock may take more than the value that
 * an op brought, and a smaller value gives back what the larger one before it took. To measure costs
 * more than to add up, so it is done where room is scarce, and of what changed since the last time.
 */
export function createGrowth(
  known: Known,
  entries: ReadonlyMap<RecordId, { readonly state: RecordState }>,
): Growth {
  const addedById = new Map<RecordId, number>();
  const unmeasured = new Set<RecordId>();
  let records = 0;
  let added = 0;
  const put = (id: RecordId, bytes: number): void => {
    const more = bytes - (storedBefore(known, id)?.bytes ?? 0);
    added += more - (addedById.get(id) ?? 0);
    addedById.set(id, more);
  };
  const usageAtMost: Growth["usageAtMost"] = (head) => ({
    records: head.liveCount + records,
    bytes: head.liveBytes + added,
  });
  return {
    changed: (id, bytesMax) => {
      unmeasured.add(id);
      put(id, bytesMax);
    },
    addRecords: (count) => {
      records += count;
    },
    usage: (head) => {
      for (const id of unmeasured) put(id, bytesOfLive(entries.get(id)?.state));
      unmeasured.clear();
      return usageAtMost(head);
    },
    usageAtMost,
  };
}
