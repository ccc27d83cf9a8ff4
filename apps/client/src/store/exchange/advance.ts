import {
  applyOp,
  isSameSet,
  readCanonicalPut,
  type Op,
  type Overwritten,
  type RecordId,
  type RecordState,
  type SetDigest,
} from "@tidemark/protocol";
import type { PushAnswer } from "@tidemark/protocol/wire";
import type { StoreContext } from "../context.ts";
import {
  makeRow,
  readConfirmedMany,
  replaceConfirmed,
  type Confirmed,
  setAfter,
  type Replacement,
} from "../records/confirmed.ts";
import { deleteAcknowledged, opsOfRecords } from "../records/outbox.ts";
import { addPast } from "../records/past.ts";
import { readSuspects } from "../records/suspects.ts";
import type { PushPlan } from "../replica-store.ts";
import type { ReplicaRow } from "../rows.ts";
import { refreshViews } from "../view/projection.ts";
import { dropVerified, verifySet } from "./verified.ts";

/** Whether a push's own ops may lead to where its answer stands: the replica stood right before it. */
export function mayAdvance(replica: ReplicaRow, { advance: told, results }: PushAnswer): boolean {
  if (told === undefined || results.length > 0 || replica.heal_why !== null) return false;
  return replica.verified === 1 && replica.head === told.from;
}

/**
 * Takes the ops of an answered push as confirmed without pulling them back (PS32): applied here as
 * the server applied them, to a replica that stood where the server stood, they must give the very
 * set that the answer names. That comparison is the one a pull would end with. Whatever does not
 * fit changes nothing, and a pull brings the echo: false.
 */
export function advance(
  context: StoreContext,
  replica: ReplicaRow,
  plan: PushPlan,
  answer: PushAnswer,
): boolean {
  const { advance: told, head, position } = answer;
  const { after } = plan.header;
  if (told === undefined || replica.heal_why !== null) return false;
  if (position.acked !== after + plan.lines.length || replica.acked !== position.acked)
    return false;
  const applied = applyLines(context, replica, plan);
  if (applied === undefined) return false;
  const { records, set } = changesOf(context, replica, applied, told.from);
  if (told.from + records.length !== head || !isSameSet(set, told)) return false;
  // In one statement; what is left of pushes before it goes with `dropVerified`, one by one. Before
  // the records, which then take the very pages that come free: a third less to write and to sync.
  deleteAcknowledged(context, replica, { after, upTo: position.acked });
  replaceConfirmed(context, replica, records);
  addPast(context, replica.namespace, applied.overwritten);
  replica.cursor = told.cursor;
  verifySet(context, replica, told);
  // A head that was told since is not reached yet (CL20).
  if (replica.head > head) replica.verified = 0;
  replica.head = Math.max(replica.head, head);
  const touched = new Set(dropVerified(context, replica, position.acked));
  // The ops of this push are in the record as they lay over it, so the view stays as it is; but what
  // goes on lying over a record that was not there may have shown nothing until now.
  const ids = [...applied.states.keys()];
  for (const op of opsOfRecords(context, replica.namespace, ids))
    touched.add(op.record as RecordId);
  // A record that moved to another place may have come within the reach of a quarantine (QU5).
  const hasSuspects = readSuspects(context, replica.namespace).length > 0;
  if (hasSuspects) for (const id of ids) touched.add(id);
  refreshViews(context, replica.namespace, touched);
  return true;
}

interface Applied {
  readonly held: ReadonlyMap<string, Confirmed>;
  /** In the order in which the ops first touch them. */
  readonly states: ReadonlyMap<RecordId, RecordState>;
  readonly overwritten: readonly Overwritten[];
}

/** Undefined where an op does more than write its own record: then the server's word is needed. */
function applyLines(
  context: StoreContext,
  replica: ReplicaRow,
  plan: PushPlan,
): Applied | undefined {
  const { writer, after } = plan.header;
  const ops = plan.lines.map(
    (line, index) => readCanonicalPut(line, after + 1 + index) ?? (JSON.parse(line) as Op),
  );
  const held = readConfirmedMany(context, replica.namespace, idsOf(ops));
  const states = new Map<RecordId, RecordState>();
  const overwritten: Overwritten[] = [];
  for (const op of ops) {
    const parentId = op.op === "put" ? op.parent : undefined;
    const stateOf = (id: RecordId): RecordState | undefined =>
      states.get(id) ?? held.get(id)?.state;
    const parent = parentId === undefined ? undefined : stateOf(parentId);
    const outcome = applyOp(op, {
      sha256: context.sha256,
      writer,
      stored: stateOf(op.record),
      ...(parent === undefined ? {} : { parent }),
    });
    if (outcome.kind !== "applied") return undefined;
    states.set(op.record, outcome.state);
    overwritten.push(...outcome.overwritten);
  }
  return { held, states, overwritten };
}

function idsOf(ops: readonly Op[]): readonly RecordId[] {
  const ids = new Set<RecordId>();
  for (const op of ops) {
    ids.add(op.record);
    if (op.op === "put" && op.parent !== undefined) ids.add(op.parent);
  }
  return [...ids];
}

/** A changed record has the next seq, an unchanged one keeps its own (PS4). */
function changesOf(
  context: StoreContext,
  replica: ReplicaRow,
  { held, states }: Applied,
  from: number,
): { readonly records: readonly Replacement[]; readonly set: SetDigest } {
  const records: Replacement[] = [];
  for (const [id, state] of states) {
    const before = held.get(id)?.digest;
    const seq = from + records.length + 1;
    const made = makeRow(context, replica.namespace, { state, seq });
    if (before !== made.row.digest) records.push({ made, before });
  }
  return { records, set: setAfter(replica, records) };
}
