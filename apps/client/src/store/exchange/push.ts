import { isEncryptedId, type Position, type RecordId, type WriterId } from "@tidemark/protocol";
import type { PushAnswer, PushHeader } from "@tidemark/protocol/wire";
import type { StoreContext } from "../context.ts";
import { linesAfter, markOp, opsAfter } from "../records/outbox.ts";
import type { PushLimits, PushPlan, PushTaken, Taken } from "../replica-store.ts";
import type { OutboxRow, ReplicaRow } from "../rows.ts";
import { epochEntry } from "../sealed/epoch-entry.ts";
import { epochOfLine } from "../sealed/sealed-ops.ts";
import { refreshTrees } from "../view/projection.ts";
import { advance, mayAdvance } from "./advance.ts";
import { restampOutbox } from "./fork.ts";
import { maySend, readSealing } from "./sealing.ts";
import { followPosition } from "./position.ts";
import { resealRefused } from "./reseal.ts";

/**
 * The next ops to send, in `n` order and byte for byte as they were stored (CH2): as many as fit,
 * one at least. Undefined when nothing is to be sent. What was planned ahead is sent where writer,
 * `n` and running hash are those it was planned for: a writer's numbered ops never change.
 */
export function planPush(
  context: StoreContext,
  replica: ReplicaRow,
  limits: PushLimits,
  ahead?: PushPlan,
): PushPlan | undefined {
  const { acked, acked_chain: chain } = replica;
  const header = { writer: replica.writer as WriterId, after: acked, chain };
  // Lines that were sealed anew, or may not be sent any more, are told by no writer, `n` and hash.
  const mayReuse = ahead !== undefined && !isEncryptedId(replica.namespace);
  return mayReuse && isPlannedFor(ahead, header)
    ? ahead
    : planFrom(context, replica, header, limits);
}

function isPlannedFor({ header }: PushPlan, at: PushHeader): boolean {
  const { writer, after, chain } = header;
  return writer === at.writer && after === at.after && chain === at.chain;
}

/**
 * The ops behind those of a plan, as they will be sent once all of it is acknowledged. Of sealed ones
 * none: what they will be sent as is known when they are (EE11).
 */
export function planPushAfter(
  context: StoreContext,
  replica: ReplicaRow,
  { header, lines }: PushPlan,
  limits: PushLimits,
): PushPlan | undefined {
  const { writer } = header;
  const after = header.after + lines.length;
  if (replica.writer !== writer || isEncryptedId(replica.namespace)) return undefined;
  const [last] = opsAfter(context, replica, { after: after - 1, upTo: after, limit: 1 });
  if (last === undefined) return undefined;
  return planFrom(context, replica, { writer, after, chain: last.chain }, limits);
}

function planFrom(
  context: StoreContext,
  replica: ReplicaRow,
  header: PushHeader,
  limits: PushLimits,
): PushPlan | undefined {
  const { after } = header;
  const { made } = replica;
  const rows = linesAfter(context, replica, { after, upTo: made, limit: limits.ops });
  const lines = fitting(rows, limits.bytes);
  if (!maySend(context, replica.namespace)) return undefined;
  if (isEncryptedId(replica.namespace)) {
    const epoch = readSealing(context, replica.namespace)?.epoch ?? 0;
    const entry = epochEntry(context, replica.namespace, epoch);
    return sealedPlan({ ...header, epoch, epochEntry: entry }, lines, made);
  }
  if (lines.length === 0) return undefined;
  return { header, lines, ackedAtRequest: after, hasMore: after + lines.length < made };
}

/**
 * As many lines as are sealed under one epoch: others wait for a key, or for their own push (EE10).
 * Lines that erase alone go under the newest, as all that a push says is of one. What is sealed under
 * an older one may have been sent and taken; a push without lines asks, and tells nothing (EE11).
 */
function sealedPlan(
  header: PushHeader & { readonly epoch: number },
  fit: readonly string[],
  made: number,
): PushPlan | undefined {
  const lines: string[] = [];
  let sealedUnder: number | undefined;
  for (const line of fit) {
    const own = epochOfLine(line);
    if (own === undefined || (own !== 0 && own !== (sealedUnder ?? own))) break;
    if (own !== 0) sealedUnder = own;
    lines.push(line);
  }
  if (lines.length === 0) return undefined;
  const { after } = header;
  if (sealedUnder !== undefined && sealedUnder < header.epoch) {
    return { header, lines: [], ackedAtRequest: after, hasMore: false };
  }
  const epoch = sealedUnder ?? header.epoch;
  return {
    header: { ...header, epoch },
    lines,
    ackedAtRequest: after,
    hasMore: after + lines.length < made,
  };
}

/**
 * Writes down, before it leaves, up to where a sealed push goes: whoever dies before the answer, or
 * never hears it, must know what may not be sealed otherwise (EE11).
 */
export function noteOffered(
  { db }: StoreContext,
  { namespace, offered }: ReplicaRow,
  { header, lines }: PushPlan,
): void {
  const upTo = header.after + lines.length;
  if (upTo <= (offered ?? 0)) return;
  db.run(
    "UPDATE replicas SET offered = ? WHERE namespace = ? AND writer = ?",
    upTo,
    namespace,
    header.writer,
  );
}

function fitting(rows: readonly Pick<OutboxRow, "line">[], bytesMax: number): readonly string[] {
  const lines: string[] = [];
  let bytes = 0;
  for (const { line } of rows) {
    bytes += Buffer.byteLength(line) + 1;
    if (lines.length > 0 && bytes > bytesMax) break;
    lines.push(line);
  }
  return lines;
}

/** Takes the answer to a push: every op in it has its final result (OP16). */
export function takePushAnswer(
  context: StoreContext,
  replica: ReplicaRow,
  plan: PushPlan,
  answer: PushAnswer,
): PushTaken {
  const position = { ...answer.position, results: answer.results };
  const taken = follow(context, replica, plan, position);
  if (taken.kind === "fork") return taken;
  replica.lamport = Math.max(replica.lamport, answer.lamport);
  if (plan.lines.length === 0) {
    // Under the new epoch nothing was taken, and what comes late under the old one is refused.
    resealRefused(context, replica);
    return taken;
  }
  const isNext = taken.kind === "taken" && mayAdvance(replica, answer);
  // Where more is to be sent, that goes first: the server works on it meanwhile.
  const isLast = replica.acked === replica.made;
  if (isNext && isLast && advance(context, replica, plan, answer)) return { kind: "advanced" };
  // Told is not reached: what others did below this head was not pulled yet (CL20).
  if (answer.head > replica.head) replica.verified = 0;
  replica.head = Math.max(replica.head, answer.head);
  return isNext && !isLast ? { kind: "advancing" } : taken;
}

/** Takes a position that came without anything else, such as that of a refused push. */
export function takePosition(
  context: StoreContext,
  replica: ReplicaRow,
  plan: Pick<PushPlan, "ackedAtRequest">,
  position: Position,
): Taken {
  const { acked } = replica;
  const taken = follow(context, replica, plan, position);
  // An answer was lost, and with it the head that its push had made or met (CL20).
  if (taken.kind !== "fork" && replica.acked > acked) replica.verified = 0;
  return taken;
}

function follow(
  context: StoreContext,
  replica: ReplicaRow,
  plan: Pick<PushPlan, "ackedAtRequest">,
  position: Position,
): Taken {
  const outcome = followPosition(context, replica, plan.ackedAtRequest, position);
  if (outcome.kind === "fork") return outcome;
  return replica.heal_why === null
    ? { kind: "taken" }
    : { kind: "heal-due", why: replica.heal_why };
}

/**
 * Refuses an unsent op that no push can carry (OP17). Later ops took their numbers after it, so
 * the rest goes on under a new writer.
 */
export function rejectOp(
  context: StoreContext,
  replica: ReplicaRow,
  n: number,
  code: "too-large" | "invalid",
): void {
  const row = opsAfter(context, replica, { after: n - 1, upTo: n, limit: 1 })[0];
  if (row?.state !== "pending") return;
  markOp(context, row, "rejected", code);
  restampOutbox(context, replica);
  refreshTrees(context, replica.namespace, [row.record as RecordId]);
}
