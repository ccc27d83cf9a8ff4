import {
  bucketCount,
  bucketOf,
  chainNext,
  compactState,
  emptyDigest,
  isSameValue,
  isTombstone,
  mergeRecords,
  oldestRegister,
  opLine,
  replaceInSet,
  type Digest,
  type LiveRecord,
  type Overwritten,
  type RecordId,
  type RecordState,
  type SetDigest,
} from "@tidemark/protocol";
import type { DecodedState } from "@tidemark/protocol";
import type { DigestsAnswer, HealTail } from "@tidemark/protocol/wire";
import type { StoreContext } from "../context.ts";
import { readConfirmed, readConfirmedMany, saveConfirmed } from "../records/confirmed.ts";
import { deleteOp, insertOp, opsInState, outboxOpOf } from "../records/outbox.ts";
import { addPast, pastClocks } from "../records/past.ts";
import type { OutboxRow, ReplicaRow } from "../rows.ts";
import type { BucketPart, HealLine } from "../replica-store.ts";
import { refreshTrees } from "../view/projection.ts";
import { aheadNotice } from "./notices.ts";
import { eraseAnswered, saveWriters } from "./pull.ts";

/** Digest and count of each bucket of the confirmed records (HL21). Reads all ids. */
export function bucketDigests(context: StoreContext, namespace: string): readonly SetDigest[] {
  const buckets: SetDigest[] = Array.from({ length: bucketCount }, () => ({
    digest: emptyDigest,
    count: 0,
  }));
  const rows = context.db.all<DigestRow>(
    "SELECT id, digest FROM records WHERE namespace = ? ORDER BY id",
    namespace,
  );
  for (const { id, digest } of rows) {
    const bucket = bucketOf(id);
    buckets[bucket] = replaceInSet(
      buckets[bucket] ?? { digest: emptyDigest, count: 0 },
      undefined,
      digest,
    );
  }
  return buckets;
}

/** Ids and digests of a part of a bucket, by id. */
export function bucketRecords(
  context: StoreContext,
  asked: BucketPart & { readonly namespace: string; readonly bucket: number },
): readonly (readonly [RecordId, Digest])[] {
  // No id is empty, and none has a character beyond letters.
  const { namespace, bucket, after = "", upTo = "~" } = asked;
  return context.db
    .all<DigestRow>(
      "SELECT id, digest FROM records WHERE namespace = ? AND id > ? AND id <= ? ORDER BY id",
      namespace,
      after,
      upTo,
    )
    .flatMap(({ id, digest }) => (bucketOf(id) === bucket ? [[id, digest] as const] : []));
}

interface DigestRow {
  readonly id: RecordId;
  readonly digest: Digest;
}

/**
 * Confirmed states with past clocks (HL20) and who made them, where this store knows (HL37). Ids that
 * are unknown here are left out.
 */
export function healLines(
  context: StoreContext,
  namespace: string,
  ids: readonly RecordId[],
): readonly HealLine[] {
  return ids.flatMap((id) => {
    const state = readConfirmed(context, namespace, id)?.state;
    if (state === undefined) return [];
    if (isTombstone(state)) return [{ id, line: JSON.stringify(state) }];
    const past = pastClocks(context, namespace, id);
    const hasPast = Object.keys(past).length > 0;
    const author = authorOf(context, namespace, state);
    const line = JSON.stringify({
      ...compactState(state),
      ...(hasPast ? { past } : {}),
      ...(author === undefined ? {} : { author }),
    });
    return [{ id, line }];
  });
}

/** Who stands behind the oldest of a record's clocks. */
function authorOf(
  context: StoreContext,
  namespace: string,
  { registers }: LiveRecord,
): string | undefined {
  const writer = oldestRegister(registers)?.clock.writer;
  const known = context.db.get<{ own: number; user: string | null }>(
    "SELECT own, user FROM writers WHERE namespace = ? AND writer = ?",
    namespace,
    writer ?? "",
  );
  return known?.own === 1 ? context.identity()?.user?.id : (known?.user ?? undefined);
}

/** The server's answer to a heal. */
export interface HealedAnswer {
  readonly records: readonly DecodedState[];
  readonly tail: HealTail;
  /** Head of the digests that the heal began from: what lies beyond has no place until a pull (HL38). */
  readonly from: number;
}

/**
 * Takes the server's answer to a heal (HL22). A merge with what is held: unlike in a pull, equal
 * clocks with different values are settled here, for the server has seen both by now. Of what it had
 * no room for it has kept nothing: there this side stays as it is until a heal finds room (HL41).
 */
export function takeHealed(context: StoreContext, replica: ReplicaRow, answer: HealedAnswer): void {
  const { namespace } = replica;
  // Before the records: whose they are decides whether they are shown.
  saveWriters(context, namespace, answer.tail.writers ?? []);
  const unkept = keepUndelivered(context, replica, answer.tail.refused);
  for (const { state: healed, seq } of answer.records) {
    if (unkept.has(healed.id)) continue;
    const held = readConfirmed(context, namespace, healed.id)?.state;
    const state = held === undefined ? healed : mergedAt(healed, held);
    const isReached = seq !== undefined && seq <= answer.from;
    saveConfirmed(context, replica, { state, seq: isReached ? seq : null });
    if (isTombstone(state)) eraseAnswered(context, namespace, state);
    else addPast(context, namespace, overwrittenBy(held, state));
    refreshTrees(context, namespace, [state.id]);
  }
  replica.lamport = Math.max(replica.lamport, answer.tail.lamport);
  const refused = answer.tail.refused.length;
  if (refused > 0) replica.notice = aheadNotice(refused);
}

/**
 * Keeps what a namespace had no room for beyond the cursor, where no pull replaces it (HL38): merged
 * here alone, a value that loses would be nowhere, for the conflict record of it was refused (HL41).
 */
function keepUndelivered(
  context: StoreContext,
  replica: ReplicaRow,
  refused: HealTail["refused"],
): ReadonlySet<RecordId> {
  const ids = refused.flatMap(({ id, code }) => (code === "quota" ? [id] : []));
  const held = readConfirmedMany(context, replica.namespace, ids);
  for (const { state } of held.values()) saveConfirmed(context, replica, { state, seq: null });
  return new Set(held.keys() as Iterable<RecordId>);
}

// The server lets no heal move a record; a replica that held it elsewhere follows, or digests never meet.
function mergedAt(healed: RecordState, held: RecordState): RecordState {
  const merged = mergeRecords(held, healed);
  if (isTombstone(merged) || isTombstone(healed)) return merged;
  return { ...healed, registers: merged.registers };
}

function overwrittenBy(
  held: RecordState | undefined,
  state: RecordState,
): readonly Pick<Overwritten, "record" | "field" | "register">[] {
  if (held === undefined || isTombstone(held) || isTombstone(state)) return [];
  return Object.entries(held.registers).flatMap(([field, register]) => {
    const value = state.registers[field]?.value;
    const isKept = value === undefined || isSameValue(value, register.value);
    return isKept ? [] : [{ record: held.id, field, register }];
  });
}

/**
 * Ends a heal (HL23): what the digests belonged to has been exchanged, so the cursor is theirs, also
 * where it is lower, and ops that were answered `unknown-record` are issued once more (PS7).
 */
export function finishHeal(
  context: StoreContext,
  replica: ReplicaRow,
  { digests, ahead = 0 }: { readonly digests: DigestsAnswer; readonly ahead?: number | undefined },
): void {
  if (ahead > 0) replica.notice = aheadNotice(ahead);
  replica.cursor = digests.cursor;
  replica.head = digests.head;
  replica.lamport = Math.max(replica.lamport, digests.lamport);
  replica.heal_why = null;
  for (const row of opsInState(context, replica.namespace, "unknown"))
    reissue(context, replica, row);
}

// Lamport and base stay: with a new lamport the op would beat what was written after it (PS7).
function reissue(context: StoreContext, replica: ReplicaRow, row: OutboxRow): void {
  const op = { ...outboxOpOf(row).op, n: replica.made + 1 };
  const line = opLine(op);
  const chain = chainNext(context.sha256, replica.chain, line);
  deleteOp(context, row);
  insertOp(context, { ...row, n: op.n, line, chain, state: "pending", code: null, reissued: 1 });
  replica.made = op.n;
  replica.chain = chain;
}
