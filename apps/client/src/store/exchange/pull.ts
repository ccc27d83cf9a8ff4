import {
  adoptState,
  chainStart,
  isTombstone,
  type LiveRecord,
  type Position,
  type RecordId,
  type RecordState,
  type WriterId,
} from "@tidemark/protocol";
import type { WriterInfo } from "@tidemark/protocol/wire";
import type { StoreContext } from "../context.ts";
import { makeRow, replaceConfirmed, type Replacement } from "../records/confirmed.ts";
import { heldInRuns } from "../records/held-in-runs.ts";
import { deleteOp, isEchoOf, opsOfRecord, opsOfRecords } from "../records/outbox.ts";
import { addPast } from "../records/past.ts";
import { readSuspects } from "../records/suspects.ts";
import type { PageTaken, PulledPage, PullPlan } from "../replica-store.ts";
import type { OutboxRow, ReplicaRow } from "../rows.ts";
import { closedFields } from "../sealed/opened-state.ts";
import { refreshPage } from "../view/page.ts";
import { refreshTrees, refreshViews } from "../view/projection.ts";
import { forgedNotice } from "./notices.ts";
import { followPosition, type PositionOutcome } from "./position.ts";
import { dropVerified, verifySet } from "./verified.ts";

/** What a pull that is about to be sent has to say. */
export function planPull(replica: ReplicaRow): PullPlan {
  const { writer, cursor, acked } = replica;
  return { writer: (writer as WriterId | null) ?? undefined, after: cursor, ackedAtRequest: acked };
}

/**
 * Takes a page (PL20): position first, then records and cursor together. At the head the digests
 * must be equal, whatever the outbox holds (PL21); then ops that the server has consumed leave the
 * outbox, for their echo is part of what was just verified (OP19).
 *
 * A page that ends below a head told before is older than that word, or the server has lost what it
 * told of (a fail-over): only another pull knows which, and until then nothing is synced (CL20).
 */
export function takePage(
  context: StoreContext,
  replica: ReplicaRow,
  plan: PullPlan,
  page: PulledPage,
): PageTaken {
  const { tail } = page;
  const followed = follow(context, replica, plan, tail.position);
  if (followed.kind === "fork") return followed;
  const touched = new Set<RecordId>();
  const { changed, forgotten, seqOf } = applyRecords(context, replica, page, touched);
  const lacksKey = noteClosed(context, replica, changed.values());
  saveWriters(context, replica.namespace, tail.writers);
  replica.lamport = Math.max(replica.lamport, tail.lamport);
  replica.cursor = tail.cursor;
  const isOvertaken = !tail.more && tail.head < replica.head;
  replica.head = tail.more ? Math.max(replica.head, tail.head) : tail.head;
  // In the middle of the feed a replica equals nothing that the server ever was (CL20).
  if (tail.more) replica.verified = 0;
  else if (verifySet(context, replica, tail)) {
    for (const id of dropVerified(context, replica, tail.position?.acked ?? 0)) touched.add(id);
  }
  refreshPage(context, replica.namespace, changed, seqOf);
  refreshViews(context, replica.namespace, touched);
  refreshTrees(context, replica.namespace, forgotten);
  if (replica.heal_why !== null) return { kind: "heal-due", why: replica.heal_why };
  if (!isOvertaken) return lacksKey ? { kind: "taken", lacksKey } : { kind: "taken" };
  replica.verified = 0;
  return { kind: "overtaken" };
}

// What was not sealed by a member, for its place, is kept as it came, shown nowhere, and told (EE4).
// Tells whether there is something whose key is not here.
function noteClosed(
  context: StoreContext,
  replica: ReplicaRow,
  states: Iterable<LiveRecord>,
): boolean {
  const closed = closedFields(context, replica.namespace, states);
  const forged = closed.plain + closed.forged;
  if (forged > 0) replica.notice = forgedNotice(forged);
  return closed["no-key"] > 0;
}

// A request without a writer asked for no position. A server that does not know the writer has
// consumed none of its ops.
function follow(
  context: StoreContext,
  replica: ReplicaRow,
  plan: PullPlan,
  position: Position | null,
): PositionOutcome {
  if (plan.writer === undefined) return { kind: "followed" };
  const start = { acked: 0, chain: chainStart(context.sha256, plan.writer), since: 0, results: [] };
  return followPosition(context, replica, plan.ackedAtRequest, position ?? start);
}

interface Applied {
  /** Live states that have no op over them: they are their own view, but for their parents. */
  readonly changed: ReadonlyMap<RecordId, LiveRecord>;
  readonly forgotten: ReadonlySet<RecordId>;
  readonly seqOf: (id: RecordId) => number | null;
}

/**
 * What a heal has delivered is beyond the cursor, so that a server which was set back since may know
 * nothing of it. A state that would replace it is passed over: the digests then differ at the head,
 * and the next heal joins the two by their pasts (HL38).
 */
function applyRecords(
  context: StoreContext,
  replica: ReplicaRow,
  page: PulledPage,
  touched: Set<RecordId>,
): Applied {
  const { namespace } = replica;
  const states = page.records.map(({ state }) => state);
  const held = heldInRuns(context, namespace, states);
  const ops = opsByRecord(context, namespace, states);
  const hasSuspects = readSuspects(context, namespace).length > 0;
  const changed = new Map<RecordId, LiveRecord>();
  const forgotten = new Set<RecordId>();
  const replacements: Replacement[] = [];
  for (const { state: pulled, seq } of page.records) {
    const before = held.of(pulled);
    const { state, overwritten } = adoptState(before?.state, pulled);
    if (overwritten.length > 0 && before?.seq === null) continue;
    const made = makeRow(context, namespace, { state, seq: seq ?? null });
    const { row } = made;
    replacements.push({ made, before: before?.digest });
    held.take(state.id, { state, seq: row.seq, digest: row.digest });
    addPast(context, namespace, overwritten);
    if (isTombstone(state)) {
      eraseAnswered(context, namespace, state);
      changed.delete(state.id);
      forgotten.add(state.id);
      continue;
    }
    const over = ops.get(state.id);
    if (over === undefined) changed.set(state.id, state);
    // Where all that lies over it says the same, the view stays as it is, but for its place.
    else if (hasSuspects || !over.every((op) => isEchoOf(op, row))) touched.add(state.id);
  }
  replaceConfirmed(context, replica, replacements);
  return { changed, forgotten, seqOf: (id) => held.seqOf(id) };
}

function opsByRecord(
  context: StoreContext,
  namespace: string,
  states: readonly RecordState[],
): ReadonlyMap<string, readonly OutboxRow[]> {
  const byRecord = new Map<string, OutboxRow[]>();
  const ids = states.map(({ id }) => id);
  for (const op of opsOfRecords(context, namespace, ids)) {
    const over = byRecord.get(op.record);
    if (over === undefined) byRecord.set(op.record, [op]);
    else over.push(op);
  }
  return byRecord;
}

/** A forgotten record takes with it the ops that hold its content and that no answer is due to (OP18). */
export function eraseAnswered(context: StoreContext, namespace: string, state: RecordState): void {
  for (const row of opsOfRecord(context, namespace, state.id)) {
    if (row.state === "rejected" || row.state === "acked") deleteOp(context, row);
  }
}

/** Keeps who stands behind writers, the newest word on each. */
export function saveWriters(
  context: StoreContext,
  namespace: string,
  writers: readonly WriterInfo[],
): void {
  for (const { writer, device, deviceName, user, userName, machine, joinedAt } of writers) {
    context.db.run(
      `INSERT INTO writers (namespace, writer, device, device_name, user, user_name, machine, joined_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (namespace, writer) DO UPDATE SET device = excluded.device,
         device_name = excluded.device_name, user = excluded.user, user_name = excluded.user_name,
         machine = excluded.machine, joined_at = excluded.joined_at`,
      namespace,
      writer,
      device,
      deviceName,
      user,
      userName,
      machine === undefined ? null : Number(machine),
      joinedAt ?? null,
    );
  }
}
