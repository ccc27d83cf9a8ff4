import {
  collections,
  healRaiseMax,
  healRecords,
  highestLamport,
  isTombstone,
  oldestRegister,
  refusalOfState,
  tombstone,
  type LiveRecord,
  type PastClocks,
  type RecordId,
  type RecordState,
  type RejectCode,
  type Sha256,
  type UserId,
  type WriterId,
} from "@tidemark/protocol";
import type { Access, Head, PastByRecord } from "../store/port.ts";
import { createDraft, type Draft } from "./draft.ts";
import type { HealLine } from "./heal-lines.ts";
import type { Known } from "./known.ts";
import { hasRoom, type Quota } from "./quota.ts";
import { bytesOfDraft, bytesOfLive, bytesOfState, isTooLarge } from "./record-size.ts";
import { mayForget, mayWrite } from "./rights.ts";

/** What the transaction has read for a heal. */
export interface HealGround {
  readonly sha256: Sha256;
  readonly known: Known;
  /** Past clocks that the server kept: its revisions. */
  readonly past: PastByRecord;
  readonly head: Head;
  readonly quota: Quota;
  readonly access: Access;
  readonly isEncrypted: boolean;
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
 * (HL3). Pure, like the plan of a push, and throws as that does.
 */
export function planHeal(
  ground: HealGround,
  lines: readonly HealLine[],
  lamportTold: number,
): HealPlan {
  const draft = createDraft(ground.known);
  const known = ground.head.lamport;
  const lamportMax = known + healRaiseMax(known);
  const refused: { readonly id: RecordId; readonly code: RejectCode }[] = [];
  let lamport = mayWrite(ground.access)
    ? Math.max(known, Math.min(lamportTold, lamportMax))
    : known;
  for (const { id, delivered } of lines) {
    const code = refusalOf(ground, delivered, lamportMax) ?? join(ground, draft, delivered);
    if (code !== undefined) refused.push({ id, code });
    else if (delivered.ok) lamport = Math.max(lamport, highestLamport(delivered.value.state));
  }
  return { draft, lamport, refused: refused.filter((one) => !isSettled(draft, lines, one.id)) };
}

// A tombstone that was refused for itself may have come along with its parent's.
function isSettled(draft: Draft, lines: readonly HealLine[], id: RecordId): boolean {
  const state = draft.state(id);
  if (state === undefined || !isTombstone(state)) return false;
  const line = lines.find((each) => each.id === id);
  return line?.delivered.ok === true && isTombstone(line.delivered.value.state);
}

// A heal is a write (HL5). A clock far beyond the namespace's would run everybody's away (CK3).
function refusalOf(
  ground: HealGround,
  delivered: HealLine["delivered"],
  lamportMax: number,
): RejectCode | undefined {
  if (!mayWrite(ground.access)) return "forbidden";
  if (!delivered.ok) return delivered.error;
  if (highestLamport(delivered.value.state) > lamportMax) return "invalid";
  return refusalOfState(delivered.value.state, ground.isEncrypted);
}

/** Joins one delivered state with what stands; gives the code where it is refused. */
function join(
  ground: HealGround,
  draft: Draft,
  delivered: HealLine["delivered"],
): RejectCode | undefined {
  if (!delivered.ok) return delivered.error;
  const incoming = delivered.value.state;
  const stored = draft.state(incoming.id);
  if (stored !== undefined && isTombstone(stored)) return undefined;
  if (isTombstone(incoming)) return forget(ground, draft, stored ?? incoming);
  if (isTooLarge(incoming)) return "too-large";
  if (stored === undefined)
    return create(ground, draft, { state: incoming, told: delivered.value.author });
  // What was taken once is not lost because a restored server met another collection first: only
  // conflict records, which nobody edits, mix with nothing (HL10).
  const isMixed = stored.collection !== incoming.collection;
  const isConflict = [stored, incoming].some((each) => each.collection === collections.conflict);
  if (isMixed && isConflict) return "collection-mismatch";
  return merge(ground, draft, { stored, incoming, past: delivered.value.past });
}

// A tombstone is a forget by another door, so it takes the same right (HL7).
function forget(ground: HealGround, draft: Draft, state: RecordState): RejectCode | undefined {
  const { id, collection } = state;
  if (!mayForget(ground.access, state, draft.authorOf(id))) return "forbidden";
  draft.forget(tombstone(id, collection), ground.via);
  return undefined;
}

interface Arrival {
  readonly state: LiveRecord;
  /** Its author, as the delivering device knows them. */
  readonly told: UserId | undefined;
}

// A server that was restored knows no writer that only the lost one had met. Without the devices'
// word it would let nobody but admins forget the record again, not even who made it (NS6).
function create(
  ground: HealGround,
  draft: Draft,
  { state, told }: Arrival,
): RejectCode | undefined {
  const { via } = ground;
  const parent = state.parent === undefined ? undefined : draft.state(state.parent);
  if (parent !== undefined && isTombstone(parent)) {
    draft.forget(tombstone(state.id, state.collection), via);
    return undefined;
  }
  const writer = oldestRegister(state.registers)?.clock.writer;
  const author = (writer === undefined ? undefined : draft.userOf(writer)) ?? told;
  const bytes = bytesOfState(state);
  if (!hasRoom(ground.quota, draft.usage(ground.head), { records: 1, bytes })) return "quota";
  draft.save(state, { via, author, bytesAdded: bytes });
  return undefined;
}

interface Meeting {
  readonly stored: LiveRecord;
  readonly incoming: LiveRecord;
  readonly past: PastClocks;
}

function merge(ground: HealGround, draft: Draft, meeting: Meeting): RejectCode | undefined {
  const { via, sha256 } = ground;
  const { stored, past } = meeting;
  // Collection and parent are the stored record's for good, as in a push: under another parent a
  // record would be forgotten by whoever may forget that one (HL8).
  const incoming = { ...stored, registers: meeting.incoming.registers };
  const storedPast = ground.past.get(stored.id) ?? {};
  const joined = healRecords(sha256, { stored, storedPast, incoming, incomingPast: past });
  draft.countLosers(joined);
  if (!isTombstone(joined.state) && isTooLarge(joined.state)) return "too-large";
  const bytesAdded = bytesOfLive(joined.state) - bytesOfDraft(stored);
  const unkept = draft.unkept(joined.conflicts);
  const kept = unkept.reduce((sum, each) => sum + bytesOfDraft(each), 0);
  const growth = { records: unkept.length, bytes: bytesAdded + kept };
  if (!hasRoom(ground.quota, draft.usage(ground.head), growth)) return "quota";
  draft.save(joined.state, { via, bytesAdded });
  draft.saveConflicts(joined.conflicts, via);
  draft.addOverwritten(joined.overwritten);
  return undefined;
}
