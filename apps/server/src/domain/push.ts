import {
  base32,
  fail,
  isEncryptedId,
  limits,
  ok,
  type NamespaceId,
  type Result,
} from "@tidemark/protocol";
import type { Advance, PushAnswer } from "@tidemark/protocol/wire";
import { serverLimits } from "../limits.ts";
import type { Head, NamespaceWriter } from "../store/port.ts";
import { RowRefused } from "../store/row-refused.ts";
import { cursorText } from "./cursor.ts";
import type { Changes } from "./draft.ts";
import { createGroupCommit } from "./group-commit.ts";
import { emptyKnown, load } from "./known.ts";
import { completePlan } from "./planning.ts";
import {
  namedBy,
  readPush,
  type PreparedPush,
  type PushPlace,
  type PushRequest,
} from "./prepared-push.ts";
import { planPushes, type PushGround, type PushPlan } from "./push-plan.ts";
import { commitWithoutRefused } from "./refused-ops.ts";
import type { SyncDeps } from "./sync-deps.ts";
import { unavailable, type SyncError } from "./sync-error.ts";
import { touchedBy } from "./touched.ts";
import { TransactionTooLarge } from "./transaction-too-large.ts";
import { inWrite } from "./transaction.ts";

export type { PushRequest };

/** Takes pushes; concurrent ones to one namespace are committed together. */
export type Push = (request: PushRequest) => Promise<Result<PushAnswer, SyncError>>;

/** A push that is read while it comes. */
export interface PushIntake {
  /** Reads more of its lines; of more than there may be nothing is kept. */
  add(lines: readonly string[]): void;
  /** Commits it, once it is known that it has all come. */
  commit(): Promise<Result<PushAnswer, SyncError>>;
  /** Instead of that: it has not all come, or is not what it should be. */
  drop(): void;
}

/** The one door for pushes of a process. */
export type PushDoor = (place: PushPlace) => PushIntake;

const { waitingMax } = serverLimits.push;

/** Makes the one door for pushes of this process; it holds the queues of group commit. */
export function createPushDoor(deps: SyncDeps): PushDoor {
  const groups = createGroupCommit<PreparedPush, Result<PushAnswer, SyncError>>(
    {
      weigh: (push) => ({ ops: push.ops.length, bytes: push.bytes }),
      opsMax: limits.pushOpsMax,
      bytesMax: limits.pushBytesMax,
      waitingMax,
    },
    (namespace, pushes) => commitGroup(deps, namespace as NamespaceId, pushes),
  );
  return (place) => {
    const reading = readPush(deps, place);
    let count = 0;
    return {
      add: (lines) => {
        count += lines.length;
        if (count <= limits.pushOpsMax) reading.add(lines);
        else reading.drop();
      },
      commit: async () => {
        if (count > limits.pushOpsMax) return fail({ kind: "too-large" });
        const push = await reading.end();
        if (push.bytes > limits.pushBytesMax) return fail({ kind: "too-large" });
        return (await groups.submit(place.namespace, push)) ?? fail(unavailable);
      },
      drop: () => {
        reading.drop();
      },
    };
  };
}

/** The same door for pushes that are there as a whole. */
export function createPush(deps: SyncDeps): Push {
  const open = createPushDoor(deps);
  return async ({ lines, ...place }) => {
    const intake = open(place);
    intake.add(lines);
    return await intake.commit();
  };
}

/**
 * Commits a group. Where PostgreSQL refuses a row of a push that is alone, the op behind it is
 * looked for and ends rejected, and the others go on (PS13); a group is tried one by one first.
 */
async function commitGroup(
  deps: SyncDeps,
  namespace: NamespaceId,
  pushes: readonly PreparedPush[],
): Promise<readonly Result<PushAnswer, SyncError>[]> {
  try {
    return await commitPushes(deps, namespace, pushes);
  } catch (error) {
    const [only] = pushes;
    if (!(error instanceof RowRefused) || only === undefined || pushes.length > 1) throw error;
    return await searchRefused(deps, namespace, { only, error });
  }
}

async function searchRefused(
  deps: SyncDeps,
  namespace: NamespaceId,
  { only, error }: { readonly only: PreparedPush; readonly error: RowRefused },
): Promise<readonly Result<PushAnswer, SyncError>[]> {
  try {
    return await commitWithoutRefused(only, error, {
      commit: (push) => commitPushes(deps, namespace, [push]),
      rehearse: (push) => rehearsePush(deps, namespace, push),
      onFound: (n, sqlState) =>
        deps.onRowRefused?.({ namespace, device: only.device, n, sqlState }),
    });
  } catch (cause) {
    // Others let its records grow between two trials.
    if (cause instanceof TransactionTooLarge) return [fail({ kind: "too-large" })];
    throw cause;
  }
}

/** Does all that a push would do, and takes it back; throws `RowRefused` where a row is refused. */
async function rehearsePush(
  deps: SyncDeps,
  namespace: NamespaceId,
  push: PreparedPush,
): Promise<void> {
  const done = new Error("nothing of a rehearsal stays");
  try {
    await deps.store.writeNamespace(namespace, async (tx) => {
      await applyPushes(deps, { tx, namespace }, [push]);
      throw done;
    });
  } catch (error) {
    if (error !== done) throw error;
  }
}

async function commitPushes(
  deps: SyncDeps,
  namespace: NamespaceId,
  pushes: readonly PreparedPush[],
): Promise<readonly Result<PushAnswer, SyncError>[]> {
  let moved: number | undefined;
  const committed = await inWrite(deps.store, namespace, async (tx) => {
    // Also where the store has to run this again.
    moved = undefined;
    const { before, after, plan } = await applyPushes(deps, { tx, namespace }, pushes);
    moved = after.head === before.head ? undefined : after.head;
    return ok(answersOf(plan, before, after));
  });
  const isTooLarge = !committed.ok && committed.error.kind === "too-large";
  // What is too much for one transaction need not be so push by push: each is tried alone.
  if (isTooLarge && pushes.length > 1) throw new TransactionTooLarge();
  if (!committed.ok) return pushes.map(() => committed);
  if (moved !== undefined) deps.onHeadMoved(namespace, moved);
  return committed.value;
}

interface Place {
  readonly tx: NamespaceWriter;
  readonly namespace: NamespaceId;
}

interface Applied {
  readonly before: Head;
  readonly after: Head;
  readonly plan: PushPlan;
}

async function applyPushes(
  deps: SyncDeps,
  { tx, namespace }: Place,
  pushes: readonly PreparedPush[],
): Promise<Applied> {
  const { before, plan } = await plannedPushes(deps, { tx, namespace }, pushes);
  const changes = plan.draft.changes(deps.sha256, { ...before, lamport: plan.lamport });
  // Refused pushes alone change nothing.
  if (plan.writers.length === 0) return { before, after: before, plan };
  const [after] = await Promise.all([saveChanges(deps, tx, changes), tx.saveWriters(plan.writers)]);
  return { before, after, plan };
}

async function plannedPushes(
  deps: SyncDeps,
  { tx, namespace }: Place,
  pushes: readonly PreparedPush[],
): Promise<{ readonly before: Head; readonly plan: PushPlan }> {
  const known = emptyKnown();
  const touched = touchedBy(namedBy(pushes));
  const devices = [...new Set(pushes.map((push) => push.device))];
  const writers = [...new Set(pushes.map((push) => push.header.writer))];
  const [before, epoch, accesses, rows, takenByDevice] = await Promise.all([
    tx.head(),
    isEncryptedId(namespace) ? tx.epochBeginning() : undefined,
    Promise.all(devices.map((device) => tx.access(device))),
    tx.writerRows(writers),
    tx.takenToday(devices),
    load(tx, known, touched.missing),
  ]);
  const ground: PushGround = {
    sha256: deps.sha256,
    known,
    head: before,
    quota: deps.quota,
    accessByDevice: new Map(devices.map((device, index) => [device, accesses[index]])),
    writers: new Map(rows.map((row) => [row.writer, row])),
    epoch,
    takenByDevice,
  };
  const make = (): PushPlan => planPushes(ground, pushes);
  return { before, plan: await completePlan(tx, known, { touched, make }) };
}

/** Stores what changed, with a fresh mark where the head moved (MK1); gives the head stored. */
export async function saveChanges(
  deps: Pick<SyncDeps, "random">,
  tx: NamespaceWriter,
  changes: Changes,
): Promise<Head> {
  const isMoved = changes.records.length > 0;
  const mark = isMoved ? base32(deps.random.bytes(markBytes)) : changes.head.mark;
  const head = { ...changes.head, mark };
  await Promise.all([
    tx.saveRecords(changes.records),
    changes.erased.length > 0 ? tx.eraseRevisions(changes.erased) : undefined,
    changes.revisions.length > 0 ? tx.addRevisions(changes.revisions) : undefined,
    tx.saveHead(head),
  ]);
  return head;
}

const markBytes = 16;

function answersOf(
  { verdicts }: PushPlan,
  before: Head,
  after: Head,
): readonly Result<PushAnswer, SyncError>[] {
  return verdicts.map((verdict) => {
    if (!verdict.ok) return verdict;
    const { head, mark, lamport } = after;
    const isAlone = verdicts.length === 1 && verdict.value.results.length === 0;
    const advance = isAlone ? { advance: advanceOf(before, after) } : {};
    return ok({ ...verdict.value, head, mark, lamport, ...advance });
  });
}

function advanceOf(before: Head, { head, mark, digest, count }: Head): Advance {
  return { from: before.head, cursor: cursorText({ seq: head, head, mark }), digest, count };
}
