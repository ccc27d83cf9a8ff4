import {
  healRecords,
  highestLamport,
  isTombstone,
  limits,
  tombstone,
  type PastClocks,
  type RecordId,
  type RejectCode,
  type Sha256,
  type WriterId,
} from "@tidemark/protocol";
import { createDraft, type Draft } from "./draft.ts";
import type { Delivered, HealLine } from "./heal-lines.ts";
import type { Known } from "./known.ts";

/** What the transaction has read for a heal. */
export interface HealGround {
  readonly sha256: Sha256;
  readonly known: Known;
  /** Past clocks that the server kept: its revisions. */
  readonly past: ReadonlyMap<RecordId, PastClocks>;
  readonly lamport: number;
  readonly mayWrite: boolean;
  /** The delivering writer. */
  readonly via: WriterId | undefined;
}

/** What a heal comes to. Void while the draft misses anything. */
export interface HealPlan {
  readonly draft: Draft;
  readonly lamport: number;
  readonly refused: readonly { readonly id: RecordId; readonly code: RejectCode }[];
}

/**
 * Joins delivered states with stored ones, as a push would, but by their clocks and their pasts
 * (HL3). Pure, like the plan of a push.
 */
export function planHeal(
  ground: HealGround,
  lines: readonly HealLine[],
  lamportTold: number,
): HealPlan {
  const draft = createDraft(ground.known);
  const lamportMax = Math.min(ground.lamport + limits.healLamportRaiseMax, limits.lamportMax);
  const refused: { readonly id: RecordId; readonly code: RejectCode }[] = [];
  let lamport = ground.mayWrite
    ? Math.max(ground.lamport, Math.min(lamportTold, lamportMax))
    : ground.lamport;
  for (const { id, delivered } of lines) {
    const code = refusalOf(ground, delivered, lamportMax);
    if (code !== undefined) refused.push({ id, code });
    if (code !== undefined || !delivered.ok) continue;
    join(ground, draft, delivered.value);
    lamport = Math.max(lamport, highestLamport(delivered.value.state));
  }
  return { draft, lamport, refused };
}

// A heal is a write (HL5). A clock far beyond the namespace's would run everybody's away (CK3).
function refusalOf(
  ground: HealGround,
  delivered: HealLine["delivered"],
  lamportMax: number,
): RejectCode | undefined {
  if (!ground.mayWrite) return "forbidden";
  if (!delivered.ok) return delivered.error;
  return highestLamport(delivered.value.state) > lamportMax ? "invalid" : undefined;
}

function join(ground: HealGround, draft: Draft, { state: incoming, past }: Delivered): void {
  const { via } = ground;
  const stored = draft.state(incoming.id);
  if (stored !== undefined && isTombstone(stored)) return;
  const parent =
    isTombstone(incoming) || incoming.parent === undefined
      ? undefined
      : draft.state(incoming.parent);
  if (isTombstone(incoming) || (parent !== undefined && isTombstone(parent))) {
    draft.forget(tombstone(incoming.id, (stored ?? incoming).collection), via);
    return;
  }
  const how = via === undefined ? {} : { via };
  if (stored === undefined) {
    draft.save(incoming, how);
    return;
  }
  const storedPast = ground.past.get(incoming.id) ?? {};
  const joined = healRecords(ground.sha256, { stored, storedPast, incoming, incomingPast: past });
  draft.save(joined.state, how);
  draft.saveConflicts(joined.conflicts, via);
  draft.addOverwritten(joined.overwritten);
}
