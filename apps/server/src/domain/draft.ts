import {
  canonicalJson,
  collections,
  digestOf,
  fieldCountOf,
  heldHash,
  isTombstone,
  sumDigests,
  type LiveRecord,
  type Overwritten,
  type RecordId,
  type RecordState,
  type Sha256,
  type UserId,
  type WriterId,
} from "@tidemark/protocol";
import type { ChildRow, Head, RevisionRow, StoredRecord } from "../store/port.ts";
import type { Entry } from "./draft-entry.ts";
import { createFamilies } from "./families.ts";
import { createGrowth, type Growth } from "./growth.ts";
import { emptyMissing, storedBefore, type Known, type Missing } from "./known.ts";
import { createLosersCount, type Losers } from "./losers.ts";
import { bytesAtMost, bytesOfDraft, bytesOfState } from "./record-size.ts";

/** The changes of one transaction, before they are stored. */
export interface Draft {
  /** What the plan lacked; if anything, the draft is void. */
  readonly missing: Missing;
  state(id: RecordId): RecordState | undefined;
  /** Bytes that a record was stored in, and those of the ops that changed it since. */
  bytesTold(id: RecordId): number;
  userOf(writer: WriterId): UserId | undefined;
  /** Who made a record (NS6). */
  authorOf(id: RecordId): UserId | undefined;
  /** Puts a state. */
  save(state: RecordState, how?: Saving): void;
  /** Puts a tombstone, and one for each child, grandchild and so on (TB10). */
  forget(state: RecordState, via?: WriterId): void;
  /** Counts the values that a change has lose, whether it is taken or not; throws beyond what may. */
  countLosers(change: Losers): void;
  /** Keeps losing values. A conflict that is there, or was resolved, stays as it is. */
  saveConflicts(conflicts: readonly LiveRecord[], via?: WriterId): void;
  addOverwritten(overwritten: readonly Overwritten[]): void;
  /** Losing values that would be kept: no conflict of theirs is there yet, or was resolved. */
  unkept(conflicts: readonly LiveRecord[]): readonly LiveRecord[];
  /** See {@link Growth}. */
  readonly usage: Growth["usage"];
  readonly usageAtMost: Growth["usageAtMost"];
  /** What is to be stored: one new seq for each record that differs (PS4). */
  changes(sha256: Sha256, head: Head): Changes;
}

/** What belongs to a state that is put. */
export interface Saving {
  /** Bytes that an op told, or that a heal or a losing value adds. */
  readonly bytesAdded?: number | undefined;
  /** Who delivered it in a heal. */
  readonly via?: WriterId | undefined;
  /** Who made it; counts only for a record that nobody had. */
  readonly author?: UserId | undefined;
}

/** What a transaction stores. `head` lacks its new mark. */
export interface Changes {
  readonly records: readonly StoredRecord[];
  readonly revisions: readonly RevisionRow[];
  readonly erased: readonly RecordId[];
  readonly head: Head;
}

/** Starts from what is known. */
export function createDraft(known: Known): Draft {
  const missing = emptyMissing();
  const entries = new Map<RecordId, Entry>();
  const families = createFamilies(known, missing, entries);
  const overwritten: Overwritten[] = [];
  const growth = createGrowth(known, entries);
  const stored = (id: RecordId): StoredRecord | undefined => {
    const record = known.records.get(id);
    if (record === undefined && !known.records.has(id)) missing.records.add(id);
    return record;
  };
  const state = (id: RecordId): RecordState | undefined =>
    entries.get(id)?.state ?? stored(id)?.state;
  const isThere = presenceIn({ known, missing, entries });
  const authorOf = (id: RecordId): UserId | undefined =>
    entries.has(id) ? entries.get(id)?.author : stored(id)?.author;
  const bytesTold = (id: RecordId): number =>
    (stored(id)?.bytes ?? 0) + (entries.get(id)?.bytesAdded ?? 0);
  const unkept: Draft["unkept"] = (conflicts) => conflicts.filter(({ id }) => !isThere(id));
  const save: Draft["save"] = (next, how = {}) => {
    const before = entries.get(next.id);
    if (before === undefined) families.add(next);
    const held = before ?? stored(next.id);
    const bytesAdded = how.bytesAdded ?? 0;
    growth.addRecords(liveOf(next) - liveOf(held?.state));
    entries.set(next.id, {
      state: next,
      author: held === undefined ? how.author : held.author,
      bytesAdded: (before?.bytesAdded ?? 0) + bytesAdded,
      via: how.via ?? before?.via,
    });
    growth.changed(
      next.id,
      bytesAtMost(fieldCountOf(next), isTombstone(next) ? 0 : bytesTold(next.id)),
    );
  };
  return {
    missing,
    state,
    save,
    forget: (next, via) => {
      save(next, via === undefined ? {} : { via });
      const buried = families.bury(next.id, via);
      growth.addRecords(-buried.length);
      for (const id of buried) growth.changed(id, 0);
    },
    bytesTold,
    authorOf,
    userOf: (writer) => {
      if (!known.users.has(writer)) missing.writers.add(writer);
      return known.users.get(writer);
    },
    countLosers: createLosersCount(),
    saveConflicts: (conflicts, via) => {
      for (const conflict of unkept(conflicts)) {
        save(conflict, { via, bytesAdded: bytesOfDraft(conflict) });
      }
    },
    unkept,
    addOverwritten: (more) => {
      overwritten.push(...more);
    },
    usage: growth.usage,
    usageAtMost: growth.usageAtMost,
    changes: (sha256, head) =>
      changesOf({ sha256, known, overwritten, entries: [...entries.values()] }, head),
  };
}

/** Whether a record is there. What a conflict holds is not asked for: it may be as much as the value that lost. */
function presenceIn({
  known,
  missing,
  entries,
}: {
  readonly known: Known;
  readonly missing: Missing;
  readonly entries: ReadonlyMap<RecordId, Entry>;
}): (id: RecordId) => boolean {
  return (id) => {
    if (entries.has(id) || known.present.has(id)) return true;
    if (known.records.has(id)) return known.records.get(id) !== undefined;
    missing.names.add(id);
    return true;
  };
}

interface Work {
  readonly sha256: Sha256;
  readonly known: Known;
  readonly entries: readonly Entry[];
  readonly overwritten: readonly Overwritten[];
}

function changesOf(work: Work, head: Head): Changes {
  const records: StoredRecord[] = [];
  const erased: RecordId[] = [];
  for (const { state, via, author } of conflictsFirst(work.entries)) {
    const before = storedBefore(work.known, state.id);
    const digest = digestOf(work.sha256, state);
    if (before?.digest === digest) continue;
    records.push({
      seq: head.head + records.length + 1,
      state,
      digest,
      bytes: bytesOfState(state),
      via: via ?? before?.via,
      author: isTombstone(state) ? undefined : author,
    });
    if (isTombstone(state) && before !== undefined) erased.push(state.id);
  }
  return {
    records,
    erased,
    head: headAfter(head, work.known, records),
    revisions: revisionsOf(work),
  };
}

/**
 * A kept losing value stands before the value that beat it (PL11). Pages are cut anywhere: a replica
 * that had the winner alone would count the loser as past, and after a restore of the server its
 * heal would let the only copy go.
 */
function conflictsFirst(entries: readonly Entry[]): readonly Entry[] {
  const isConflict = ({ state }: Entry): boolean => state.collection === collections.conflict;
  return [...entries.filter(isConflict), ...entries.filter((entry) => !isConflict(entry))];
}

function headAfter(head: Head, known: Known, records: readonly StoredRecord[]): Head {
  const digests = [head.digest];
  let { count, liveCount, liveBytes } = head;
  for (const record of records) {
    const before = storedBefore(known, record.state.id);
    digests.push(record.digest);
    if (before === undefined) count += 1;
    else digests.push(before.digest);
    liveCount += liveOf(record.state) - liveBefore(before);
    liveBytes += record.bytes - (before?.bytes ?? 0);
  }
  const digest = sumDigests(digests);
  return { ...head, head: head.head + records.length, digest, count, liveCount, liveBytes };
}

function liveOf(state: RecordState | undefined): number {
  return state === undefined || isTombstone(state) ? 0 : 1;
}

function liveBefore(before: StoredRecord | ChildRow | undefined): number {
  return before === undefined || "state" in before ? liveOf(before?.state) : 1;
}

// What was overwritten in a record that ends as a tombstone is forgotten with it (TB11).
function revisionsOf({ sha256, known, entries, overwritten }: Work): readonly RevisionRow[] {
  const forgotten = new Set(
    entries.filter((entry) => isTombstone(entry.state)).map((entry) => entry.state.id),
  );
  return overwritten
    .filter(({ record }) => !forgotten.has(record))
    .map(({ record, field, register, replacedBy }) => ({
      record,
      field,
      value: canonicalJson(register.value),
      lamport: register.clock.lamport,
      writer: register.clock.writer,
      at: register.at,
      hash: heldHash(sha256, register),
      replacedByLamport: replacedBy.lamport,
      replacedByWriter: replacedBy.writer,
      via: known.records.get(record)?.via,
    }));
}
