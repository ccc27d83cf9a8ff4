import {
  applyOp,
  chainStart,
  fail,
  fieldCountOf,
  hex,
  lamportBound,
  limits,
  ok,
  type DeviceId,
  type LiveRecord,
  type Op,
  type OpOutcome,
  type OpResult,
  type Position,
  type RecordState,
  type Result,
  type Sha256,
  type WriterId,
} from "@tidemark/protocol";
import type { PushHeader } from "@tidemark/protocol/wire";
import type { Access, Head, LogRow, TakenWriter, WriterRow } from "../store/port.ts";
import { createDraft, type Draft } from "./draft.ts";
import type { Known } from "./known.ts";
import type { PreparedOp, PreparedPush } from "./prepared-push.ts";
import { hasRoom, type Quota, type Usage } from "./quota.ts";
import { bytesAtMost, bytesOfDraft, bytesOfLive, isTooLarge } from "./record-size.ts";
import { mayForget, mayWrite } from "./rights.ts";
import type { SyncError } from "./sync-error.ts";

/** What the transaction has read for a group of pushes. */
export interface PushGround {
  readonly sha256: Sha256;
  readonly known: Known;
  readonly head: Head;
  readonly quota: Quota;
  readonly accessByDevice: ReadonlyMap<DeviceId, Access | undefined>;
  readonly writers: ReadonlyMap<WriterId, WriterRow | undefined>;
  /** How the newest epoch of an encrypted namespace began. */
  readonly epoch: Pick<LogRow, "entry" | "epoch"> | undefined;
  /** Changes that were stored today, by who sent them (QT4). */
  readonly takenByDevice: ReadonlyMap<DeviceId, number>;
}

/** What a group of pushes comes to. Void while the draft misses anything. */
export interface PushPlan {
  readonly draft: Draft;
  readonly lamport: number;
  /** Rows of writers whose ops were consumed. */
  readonly writers: readonly TakenWriter[];
  /** One for each push, in order. */
  readonly verdicts: readonly Result<PushVerdict, SyncError>[];
}

/** What became of an accepted push. */
export interface PushVerdict {
  readonly position: Position;
  readonly results: readonly OpResult[];
}

/**
 * Decides a group of pushes, one after another, each on what those before it left (PS1). Pure: the
 * same ground gives the same plan, so it can be made again when it turns out to need more. Throws
 * `TransactionTooLarge` where too many values lose.
 */
export function planPushes(ground: PushGround, pushes: readonly PreparedPush[]): PushPlan {
  const group: Group = {
    ground,
    draft: createDraft(ground.known),
    rows: new Map(),
    takenByDevice: new Map(ground.takenByDevice),
    takenByWriter: new Map(),
    lamport: ground.head.lamport,
  };
  const verdicts = pushes.map((push) => decide(group, push));
  return {
    draft: group.draft,
    lamport: group.lamport,
    writers: [...group.rows.values()],
    verdicts,
  };
}

interface Group {
  readonly ground: PushGround;
  readonly draft: Draft;
  readonly rows: Map<WriterId, TakenWriter>;
  readonly takenByDevice: Map<DeviceId, number>;
  /** Of this group alone. */
  readonly takenByWriter: Map<WriterId, number>;
  lamport: number;
}

function decide(group: Group, push: PreparedPush): Result<PushVerdict, SyncError> {
  const { ground } = group;
  const { writer, after, chain } = push.header;
  const access = ground.accessByDevice.get(push.device);
  if (access === undefined) return fail({ kind: "not-found" });
  const row = group.rows.get(writer) ?? ground.writers.get(writer);
  if (row !== undefined && row.device !== push.device) return fail({ kind: "writer-foreign" });
  const position = positionOf(row) ?? startOf(ground.sha256, writer);
  if (after !== position.acked || chain !== position.chain) {
    return fail({ kind: "writer-position", position });
  }
  // After the position: what was taken before the key changed is not to be sealed and sent again.
  if (!isOfEpoch(ground, push.header)) return fail({ kind: "stale-epoch" });
  // Nothing to take: the results of the last accepted push stay.
  if (push.ops.length === 0) return ok({ position, results: [] });
  const clocks = push.ops.map(({ n, decoded }) => {
    const bound = Math.min(lamportBound(group.lamport, n, position.acked), limits.lamportMax);
    return { bound, lamport: decoded.ok ? decoded.value.lamport : bound };
  });
  const isTooFar = clocks.some(({ lamport, bound }) => lamport > bound);
  // A reader ahead of a restored server may not tell its clock, yet its ops need an answer (EN10).
  if (isTooFar && mayWrite(access)) return fail({ kind: "lamport-too-far" });
  const { device } = push;
  const results = push.ops.flatMap((op) => consume(group, { access, writer, device }, op) ?? []);
  const raised = clocks.map(({ lamport, bound }) => Math.min(lamport, bound));
  group.lamport = Math.max(group.lamport, ...raised);
  const next: TakenWriter = {
    writer,
    device,
    acked: after + push.ops.length,
    chain: push.chain,
    since: after,
    results,
    taken: countOf(group.takenByWriter, writer),
  };
  group.rows.set(writer, next);
  return ok({ position: toPosition(next), results });
}

/** Whether a push is sealed under the newest key, and under that of this log: others may part (EE31). */
function isOfEpoch(
  { sha256, epoch: newest }: PushGround,
  { epoch, epochEntry }: PushHeader,
): boolean {
  if (newest?.epoch !== epoch) return false;
  return epochEntry === undefined || epochEntry === hex(sha256(newest?.entry ?? ""));
}

/** How far a writer has come, or undefined where the server does not know it. */
export function positionOf(row: WriterRow | undefined): Position | undefined {
  return row === undefined ? undefined : toPosition(row);
}

function toPosition({ acked, chain, since, results }: WriterRow): Position {
  return { acked, chain, since, results };
}

function startOf(sha256: Sha256, writer: WriterId): Position {
  return { acked: 0, chain: chainStart(sha256, writer), since: 0, results: [] };
}

function countOf<Key>(counts: ReadonlyMap<Key, number>, key: Key): number {
  return counts.get(key) ?? 0;
}

interface Author {
  readonly access: Access;
  readonly writer: WriterId;
  readonly device: DeviceId;
}

/** The result of one op; undefined when it was plainly applied. Every op gets one (PS5). */
function consume(group: Group, author: Author, prepared: PreparedOp): OpResult | undefined {
  const { n, decoded } = prepared;
  if (!decoded.ok) return { n, result: "rejected", code: decoded.error };
  const op = decoded.value;
  if (!isAllowed(group, author, op)) return { n, result: "rejected", code: "forbidden" };
  const { draft } = group;
  const stored = draft.state(op.record);
  const parent = op.op === "put" && op.parent !== undefined ? draft.state(op.parent) : undefined;
  const outcome = applyOp(op, {
    sha256: group.ground.sha256,
    writer: author.writer,
    stored,
    ...(parent === undefined ? {} : { parent }),
  });
  return take(group, outcome, { n, bytes: prepared.bytes, stored, author });
}

interface Taking {
  readonly n: number;
  readonly bytes: number;
  readonly stored: RecordState | undefined;
  readonly author: Author;
}

function take(group: Group, outcome: OpOutcome, op: Taking): OpResult | undefined {
  const { draft } = group;
  const { n } = op;
  switch (outcome.kind) {
    case "unknown-record":
      return { n, result: "unknown-record" };
    case "rejected":
      return { n, result: "rejected", code: outcome.code };
    case "forgotten":
      // A late child: its tombstone is new (TB3).
      if (op.stored === undefined) draft.forget(outcome.state);
      return { n, result: "forgotten" };
    case "erased":
      draft.forget(outcome.state);
      return undefined;
    case "applied":
    case "conflict":
      draft.countLosers(outcome);
      if (isTooLarge(outcome.state, draft.bytesTold(outcome.state.id) + op.bytes)) {
        return { n, result: "rejected", code: "too-large" };
      }
      if (isBeyondQuota(group, outcome, op)) {
        return { n, result: "rejected", code: "quota" };
      }
      countTaken(group, op.author);
      draft.save(outcome.state, { bytesAdded: op.bytes, author: op.author.access.user });
      draft.saveConflicts(outcome.conflicts);
      draft.addOverwritten(outcome.overwritten);
      return outcome.kind === "conflict" ? { n, result: "conflict" } : undefined;
  }
}

function countTaken({ takenByDevice, takenByWriter }: Group, author: Author): void {
  const { device, writer } = author;
  takenByDevice.set(device, countOf(takenByDevice, device) + 1);
  takenByWriter.set(writer, countOf(takenByWriter, writer) + 1);
}

interface Change {
  readonly state: LiveRecord;
  readonly conflicts: readonly LiveRecord[];
}

function isBeyondQuota(group: Group, change: Change, op: Taking): boolean {
  const { draft, ground } = group;
  const { head, quota } = ground;
  const today = countOf(group.takenByDevice, op.author.device);
  if (today >= quota.deviceOpsMax) return true;
  if (hasRoom(quota, draft.usageAtMost(head), growthAtMost(draft, change, op))) return false;
  return !hasRoom(quota, draft.usage(head), growthOf(draft, change, op));
}

/** More than an op adds, losing values that are kept included; nothing is measured for it. */
function growthAtMost(draft: Draft, { state, conflicts }: Change, op: Taking): Usage {
  const bytes = bytesAtMost(fieldCountOf(state), draft.bytesTold(state.id) + op.bytes);
  return withConflicts(conflicts, { records: op.stored === undefined ? 1 : 0, bytes });
}

/** Just what it adds (QT1). */
function growthOf(draft: Draft, { state, conflicts }: Change, op: Taking): Usage {
  const bytes = bytesOfDraft(state) - bytesOfLive(op.stored);
  const own = { records: op.stored === undefined ? 1 : 0, bytes };
  return withConflicts(draft.unkept(conflicts), own);
}

function withConflicts(conflicts: readonly LiveRecord[], { records, bytes }: Usage): Usage {
  return {
    records: records + conflicts.length,
    bytes: conflicts.reduce((sum, each) => sum + bytesOfDraft(each), bytes),
  };
}

function isAllowed(group: Group, author: Author, op: Op): boolean {
  const { access } = author;
  if (!mayWrite(access)) return false;
  if (op.op !== "forget") return true;
  const { draft } = group;
  return mayForget(access, draft.state(op.record), draft.authorOf(op.record));
}
