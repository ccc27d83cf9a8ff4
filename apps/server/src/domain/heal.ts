import {
  collections,
  compactState,
  fail,
  heldHash,
  isEncryptedId,
  isTombstone,
  limits,
  ok,
  type DeviceId,
  type NamespaceId,
  type RecordId,
  type RecordState,
  type Result,
  type Sha256,
  type WriterId,
} from "@tidemark/protocol";
import type { HealHeader, HealTail } from "@tidemark/protocol/wire";
import { serverLimits } from "../limits.ts";
import type {
  Access,
  Head,
  NamespaceReader,
  NamespaceWriter,
  StoredRecord,
  Write,
} from "../store/port.ts";
import { RowRefused } from "../store/row-refused.ts";
import { planHeal, type HealGround, type HealPlan } from "./heal-plan.ts";
import { readHealLines, type HealLine } from "./heal-lines.ts";
import { bytesOf, emptyKnown, load, type Known } from "./known.ts";
import { completePlan } from "./planning.ts";
import { utf8Bytes } from "./record-size.ts";
import type { StatesAnswer } from "./pull.ts";
import { saveChanges } from "./push.ts";
import { commitWithoutRefused } from "./refused-ops.ts";
import type { SyncDeps } from "./sync-deps.ts";
import type { SyncError } from "./sync-error.ts";
import { touchedBy, type NamedRecord } from "./touched.ts";
import { TransactionTooLarge } from "./transaction-too-large.ts";
import { inWrite } from "./transaction.ts";

/** A heal as it came in. */
export interface HealRequest {
  readonly namespace: NamespaceId;
  readonly device: DeviceId;
  readonly header: HealHeader;
  /** `{…compact state, past?, author?}` lines without their line ends. */
  readonly lines: readonly string[];
}

/**
 * Takes states that the server lacks and answers with all named ones as they stand then (HL4), in
 * one transaction.
 */
export async function heal(
  deps: SyncDeps,
  request: HealRequest,
): Promise<Result<StatesAnswer<HealTail>, SyncError>> {
  const { header, lines } = request;
  if (lines.length + header.want.length > limits.healRecordsMax) return fail({ kind: "too-large" });
  const read = await readHealLines(deps, request);
  if (!read.ok) return fail({ kind: "invalid" });
  const healed = await commitHeal(deps, { ...request, read: read.value });
  if (!healed.ok) return healed;
  const { isMoved, answer } = healed.value;
  if (isMoved) deps.onHeadMoved(request.namespace, answer.tail.head);
  return ok(answer);
}

/** Where the database refuses a row, the state behind it is looked for and refused (HL46). */
async function commitHeal(
  deps: SyncDeps,
  request: ReadRequest,
): Promise<Result<Healed, SyncError>> {
  const { namespace, device, read } = request;
  const given = (ops: readonly TriedLine[]): ReadRequest => ({
    ...request,
    read: ops.map(({ id, decoded: delivered }) => ({ id, delivered })),
  });
  const commit = async (tried: ReadRequest): Promise<Result<Healed, SyncError>> =>
    await inWrite(deps.store, namespace, (tx) => healIn(deps, tx, tried));
  const search = async (refusal: RowRefused): Promise<Result<Healed, SyncError>> => {
    const ops = read.map(({ id, delivered: decoded }, at) => ({ n: at + 1, id, decoded }));
    return await commitWithoutRefused({ ops }, refusal, {
      commit: async (tried) => await commit(given(tried.ops)),
      rehearse: async (tried) => await rehearse(deps, given(tried.ops)),
      onFound: (n, sqlState) => deps.onRowRefused?.({ namespace, device, n, sqlState }),
    });
  };
  try {
    return await commit(request).catch(async (error: unknown) => {
      if (!(error instanceof RowRefused)) throw error;
      return await search(error);
    });
  } catch (error) {
    // Others let its records grow between two trials.
    if (error instanceof TransactionTooLarge) return fail({ kind: "too-large" });
    throw error;
  }
}

interface TriedLine {
  readonly n: number;
  readonly id: RecordId;
  readonly decoded: HealLine["delivered"];
}

/** Does all that a heal would do, and takes it back. */
async function rehearse(deps: SyncDeps, request: ReadRequest): Promise<void> {
  const done = new Error("nothing of a rehearsal stays");
  try {
    await deps.store.writeNamespace(request.namespace, async (tx) => {
      await healIn(deps, tx, request);
      throw done;
    });
  } catch (error) {
    if (error !== done) throw error;
  }
}

interface ReadRequest extends HealRequest {
  readonly read: readonly HealLine[];
}

interface Healed {
  readonly isMoved: boolean;
  readonly answer: StatesAnswer<HealTail>;
}

async function healIn(
  deps: SyncDeps,
  tx: NamespaceWriter,
  request: ReadRequest,
): Promise<Result<Healed, SyncError>> {
  const { device, header, read } = request;
  const [before, access, writer] = await Promise.all([
    tx.head(),
    tx.access(device),
    header.writer === undefined ? undefined : tx.writer(header.writer),
  ]);
  if (access === undefined) return fail({ kind: "not-found" });
  if (writer !== undefined && writer.device !== device) return fail({ kind: "writer-foreign" });
  const known = emptyKnown();
  const plan = await plannedHeal(deps, tx, { ...request, access, before, known });
  const changes = plan.draft.changes(deps.sha256, { ...before, lamport: plan.lamport });
  const isChanged = changes.records.length > 0 || plan.lamport !== before.lamport;
  // A value that lost goes back with the one that beat it, whatever else is cut: a replica that had
  // the winner alone would let the only copy go if this server lost it again (HL9).
  const isKept = ({ state }: StoredRecord): boolean =>
    state.collection === collections.conflict && !isTombstone(state);
  const kept = changes.records.filter(isKept);
  if (bytesOf(kept) > serverLimits.transaction.keptBytesMax) throw new TransactionTooLarge();
  const after = isChanged ? await saveChanges(deps, tx, changes) : before;
  const asked = new Set([...read.map(({ id }) => id), ...header.want]);
  for (const { state } of kept) asked.delete(state.id);
  const held = heldAfter(known, changes.records);
  const { lines, writers } = await answeredStates(tx, {
    kept,
    touched: [...asked].flatMap((id) => held.get(id) ?? []),
    others: [...asked].filter((id) => !held.has(id)),
  });
  // As a pull does: a record that came by a heal is not pulled again, so nothing else would tell.
  const told = await tx.writers([...writers]);
  return ok({
    isMoved: after.head !== before.head,
    answer: { lines, tail: { ...tailOf(after, plan), writers: told } },
  });
}

async function plannedHeal(
  deps: SyncDeps,
  tx: NamespaceReader,
  request: ReadRequest & { readonly access: Access; readonly before: Head; readonly known: Known },
): Promise<HealPlan> {
  const { read, header, before, known } = request;
  const touched = touchedBy(read.map(namedIn));
  const [past] = await Promise.all([
    tx.pastClocks(deliveredWrites(deps.sha256, read)),
    load(tx, known, touched.missing),
  ]);
  const ground: HealGround = {
    sha256: deps.sha256,
    known,
    past,
    head: before,
    quota: deps.quota,
    access: request.access,
    isEncrypted: isEncryptedId(request.namespace),
    via: header.writer,
  };
  const make = (): HealPlan => planHeal(ground, read, header.lamport);
  return await completePlan(tx, known, { touched, make });
}

/** The records that a transaction has read or made, as they stand after it; undefined: there is none. */
function heldAfter(
  known: Known,
  changed: readonly StoredRecord[],
): ReadonlyMap<RecordId, StoredRecord | undefined> {
  return new Map([
    ...known.records,
    ...changed.map((record) => [record.state.id, record] as const),
  ]);
}

// What a past is asked for: whether the server once held what is delivered now (HL3).
function deliveredWrites(sha256: Sha256, lines: readonly HealLine[]): readonly Write[] {
  return lines.flatMap(({ id: record, delivered }) => {
    if (!delivered.ok || isTombstone(delivered.value.state)) return [];
    return Object.entries(delivered.value.state.registers).map(([field, register]) => ({
      record,
      field,
      lamport: register.clock.lamport,
      writer: register.clock.writer,
      hash: heldHash(sha256, register),
    }));
  });
}

function namedIn({ id, delivered }: HealLine): NamedRecord {
  if (!delivered.ok) return { id };
  const { state } = delivered.value;
  return isTombstone(state) ? { id } : { id, parent: state.parent };
}

interface Named {
  /** Kept losing values, which go back whatever else is cut. */
  readonly kept: readonly StoredRecord[];
  /** Records of this transaction, as they stand after it. */
  readonly touched: readonly StoredRecord[];
  readonly others: readonly RecordId[];
}

// An answer has a limit too; what does not fit differs still and is named again in the next round.
async function answeredStates(
  tx: NamespaceReader,
  { kept, touched, others }: Named,
): Promise<{ readonly lines: readonly string[]; readonly writers: ReadonlySet<WriterId> }> {
  const told: { readonly seq: number; readonly line: string }[] = [];
  const writers = new Set<WriterId>();
  let bytes = 0;
  const isFull = (): boolean =>
    bytes >= limits.healBytesMax || writers.size > serverLimits.answer.writersMax;
  const add = ({ seq, state }: StoredRecord): void => {
    const line = JSON.stringify({ seq, ...compactState(state) });
    bytes += utf8Bytes(line);
    told.push({ seq, line });
    for (const writer of writersIn(state)) writers.add(writer);
  };
  for (const record of kept) add(record);
  for (const record of touched) if (!isFull()) add(record);
  const rest = await tx.records(others, limits.healBytesMax - bytes);
  for (const record of rest) if (!isFull()) add(record);
  const inOrder = told.toSorted((left, right) => left.seq - right.seq);
  return { lines: inOrder.map(({ line }) => line), writers };
}

function writersIn(state: RecordState): readonly WriterId[] {
  if (isTombstone(state)) return [];
  return Object.values(state.registers).map(({ clock }) => clock.writer);
}

function tailOf(after: Head, plan: HealPlan): HealTail {
  const { head, mark, lamport, digest, count } = after;
  return { head, mark, lamport, digest, count, refused: plan.refused };
}
