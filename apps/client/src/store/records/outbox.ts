import {
  chainNext,
  opLine,
  type Op,
  type OutboxOp,
  type RecordId,
  type WriterId,
} from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import type { OutboxRow, RecordRow, ReplicaRow } from "../rows.ts";
import { sealedOp } from "../sealed/sealed-ops.ts";
import { ownWriter } from "./replicas.ts";

const storedColumns =
  "namespace, writer, n, record, parent, collection, op, lamport, line, chain, state, code, reissued";

/**
 * The state of an op. That one was acknowledged is not written into it, since that would write the
 * whole of a long outbox anew: it follows from how far its writer is acknowledged.
 */
export const stateSql = `CASE WHEN outbox.state = 'pending' AND outbox.n <= (SELECT acked FROM replicas
  WHERE replicas.namespace = outbox.namespace AND replicas.writer = outbox.writer)
  THEN 'acked' ELSE outbox.state END`;

const columns = storedColumns.replace("state", `${stateSql} AS state`);

/** An op before it is stored: the outbox gives it its number. */
export type UnnumberedOp = Op extends infer Kind
  ? Kind extends Op
    ? Omit<Kind, "n">
    : never
  : never;

/** Puts an op at the end of the outbox (OP10): `n`, line and running hash are made here alone. */
export function appendOp(context: StoreContext, replica: ReplicaRow, op: UnnumberedOp): void {
  const writer = ownWriter(context, replica);
  const { namespace } = replica;
  const sent = sealedOp(context, { namespace, writer }, op);
  const numbered = { ...sent, n: replica.made + 1 } as Op;
  const line = opLine(numbered);
  replica.made = numbered.n;
  replica.chain = chainNext(context.sha256, replica.chain, line);
  replica.lamport = Math.max(replica.lamport, op.lamport);
  insertOp(context, {
    ...rowOf(numbered),
    namespace: replica.namespace,
    writer,
    line,
    chain: replica.chain,
    state: "pending",
    code: null,
    reissued: 0,
  });
}

/** The columns of a row that follow from its op. */
export function rowOf(
  op: Op,
): Pick<OutboxRow, "n" | "record" | "parent" | "collection" | "op" | "lamport"> {
  const { n, record, collection, lamport } = op;
  const parent = op.op === "put" ? (op.parent ?? null) : null;
  return { n, record, parent, collection, op: op.op, lamport };
}

/** Stores a row of the outbox. */
export function insertOp(context: StoreContext, row: OutboxRow): void {
  context.db.run(
    `INSERT INTO outbox (${storedColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.namespace,
    row.writer,
    row.n,
    row.record,
    row.parent,
    row.collection,
    row.op,
    row.lamport,
    row.line,
    row.chain,
    row.state,
    row.code,
    row.reissued,
  );
}

/** Puts another line in an op's place, and what it makes of the running hash. */
export function relineOp(
  context: StoreContext,
  row: Pick<OutboxRow, "namespace" | "writer" | "n">,
  { line, chain }: Pick<OutboxRow, "line" | "chain">,
): void {
  context.db.run(
    "UPDATE outbox SET line = ?, chain = ? WHERE namespace = ? AND writer = ? AND n = ?",
    line,
    chain,
    row.namespace,
    row.writer,
    row.n,
  );
}

/** Takes an op out of the outbox. */
export function deleteOp(
  context: StoreContext,
  row: Pick<OutboxRow, "namespace" | "writer" | "n">,
): void {
  context.db.run(
    "DELETE FROM outbox WHERE namespace = ? AND writer = ? AND n = ?",
    row.namespace,
    row.writer,
    row.n,
  );
}

/** Takes a run of acknowledged ops out of the outbox; those that were refused stay. */
export function deleteAcknowledged(
  context: StoreContext,
  replica: ReplicaRow,
  range: { readonly after: number; readonly upTo: number },
): void {
  context.db.run(
    `DELETE FROM outbox
     WHERE namespace = ? AND writer = ? AND n > ? AND n <= ? AND state IN ('pending', 'acked')`,
    replica.namespace,
    replica.writer,
    range.after,
    Math.min(range.upTo, replica.acked),
  );
}

/** Records what became of an op. */
export function markOp(
  context: StoreContext,
  row: Pick<OutboxRow, "namespace" | "writer" | "n">,
  state: OutboxRow["state"],
  code: string | null,
): void {
  context.db.run(
    "UPDATE outbox SET state = ?, code = ? WHERE namespace = ? AND writer = ? AND n = ?",
    state,
    code,
    row.namespace,
    row.writer,
    row.n,
  );
}

/** The ops that lie over a record, in the order in which they were made. */
export function opsOfRecord(
  context: StoreContext,
  namespace: string,
  record: string,
): readonly OutboxRow[] {
  return context.db.all<OutboxRow>(
    `SELECT ${columns} FROM outbox WHERE namespace = ? AND record = ? ORDER BY lamport, n`,
    namespace,
    record,
  );
}

/** As {@link opsOfRecord}, without what the ops say of fields. */
export function opHeadsOfRecord(
  context: StoreContext,
  namespace: string,
  record: string,
): readonly OpHead[] {
  return context.db.all<OpHead>(
    `SELECT op, collection, parent FROM outbox
     WHERE namespace = ? AND record = ? ORDER BY lamport, n`,
    namespace,
    record,
  );
}

/** What can be read of an op without its line. */
export type OpHead = Pick<OutboxRow, "op" | "collection" | "parent">;

/** The ops that lie over any of these records. */
export function opsOfRecords(
  context: StoreContext,
  namespace: string,
  records: readonly string[],
): readonly OutboxRow[] {
  return context.db.all<OutboxRow>(
    `SELECT ${columns} FROM outbox
     WHERE namespace = ? AND record IN (SELECT value FROM json_each(?))`,
    namespace,
    JSON.stringify(records),
  );
}

/** Acknowledged ops of a replica's writer, by `n`. */
export function acknowledgedOps(
  context: StoreContext,
  replica: ReplicaRow,
  range: { readonly after: number; readonly upTo: number; readonly limit: number },
): readonly OutboxRow[] {
  return context.db.all<OutboxRow>(
    `SELECT ${columns} FROM outbox
     WHERE namespace = ? AND writer = ? AND n > ? AND n <= ? AND state IN ('pending', 'acked')
     ORDER BY n LIMIT ?`,
    replica.namespace,
    replica.writer,
    range.after,
    Math.min(range.upTo, replica.acked),
    range.limit,
  );
}

/** Whether a put is all that a confirmed row says: taking it out of the outbox changes no view. */
export function isEchoOf(op: OutboxRow, row: RecordRow): boolean {
  if (op.op !== "put" || row.clocks !== null || row.writer !== op.writer) return false;
  const { at, collection, fields, id, lamport, parent } = row;
  // The one text of such an op (OP1), spliced: parsing and comparing costs ten times as much.
  const below = parent === null ? "" : `,"parent":"${parent}"`;
  return (
    op.line ===
    `{"at":${at},"collection":"${collection}","fields":${fields},"lamport":${lamport},` +
      `"n":${op.n},"op":"put"${below},"record":"${id}"}`
  );
}

/** A namespace's ops in one of these states, in the order in which they were made. */
export function opsInState(
  context: StoreContext,
  namespace: string,
  ...states: readonly OutboxRow["state"][]
): readonly OutboxRow[] {
  return context.db.all<OutboxRow>(
    `SELECT ${columns} FROM outbox
     WHERE namespace = ? AND ${stateSql} IN (SELECT value FROM json_each(?)) ORDER BY lamport, n`,
    namespace,
    JSON.stringify(states),
  );
}

/** A writer's ops after an `n`, up to another, by `n`. */
export function opsAfter(
  context: StoreContext,
  replica: ReplicaRow,
  range: { readonly after: number; readonly upTo: number; readonly limit: number },
): readonly OutboxRow[] {
  return context.db.all<OutboxRow>(
    `SELECT ${columns} FROM outbox
     WHERE namespace = ? AND writer = ? AND n > ? AND n <= ? ORDER BY n LIMIT ?`,
    replica.namespace,
    replica.writer,
    range.after,
    range.upTo,
    range.limit,
  );
}

/** The lines of a writer's ops after an `n`, up to another, by `n`. */
export function linesAfter(
  context: StoreContext,
  replica: ReplicaRow,
  range: { readonly after: number; readonly upTo: number; readonly limit: number },
): readonly Pick<OutboxRow, "line">[] {
  return context.db.all<Pick<OutboxRow, "line">>(
    `SELECT line FROM outbox
     WHERE namespace = ? AND writer = ? AND n > ? AND n <= ? ORDER BY n LIMIT ?`,
    replica.namespace,
    replica.writer,
    range.after,
    range.upTo,
    range.limit,
  );
}

/** One op by its name. */
export function readOp(
  context: StoreContext,
  name: { readonly namespace: string; readonly writer: string; readonly n: number },
): OutboxRow | undefined {
  return context.db.get<OutboxRow>(
    `SELECT ${columns} FROM outbox WHERE namespace = ? AND writer = ? AND n = ?`,
    name.namespace,
    name.writer,
    name.n,
  );
}

/** Ids of records that an op of the outbox creates under a parent. */
export function outboxChildren(
  context: StoreContext,
  namespace: string,
  parent: string,
): readonly RecordId[] {
  // With DISTINCT the planner reads the whole namespace in the order of its records.
  const rows = context.db.all<{ record: RecordId }>(
    "SELECT record FROM outbox WHERE namespace = ? AND parent = ?",
    namespace,
    parent,
  );
  return [...new Set(rows.map(({ record }) => record))];
}

/** A row as the protocol's functions take it. The line was made here, so it is trusted. */
export function outboxOpOf(row: OutboxRow): OutboxOp {
  return { op: JSON.parse(row.line) as Op, writer: row.writer as WriterId };
}
