import {
  chainNext,
  chainStart,
  decodeOp,
  localNamespace,
  recordDigest,
  valueHash,
  type JsonValue,
  type Sha256,
  type WriterId,
} from "@tidemark/protocol";
import { confirmedOf } from "../records/confirmed.ts";
import { rowOf } from "../records/outbox.ts";
import type {
  AgentEventRow,
  OutboxRow,
  OwnWriteRow,
  PastRow,
  RecordRow,
  ReplicaRow,
  NamespaceKeyRow,
  NamespaceLogRow,
  SuspectRow,
  WriterRow,
} from "../rows.ts";
import { treePage, type CellValue } from "./cells.ts";
import { expectedRows } from "./expected-rows.ts";
import type { PageImage } from "./page-image.ts";
import {
  isJson,
  opEntry,
  savedRow,
  schemaEntry,
  type SavedTable,
  type SchemaEntry,
} from "./table-rows.ts";

/** How many rows of a kind were lost: exactly, or at least where no more can be told. */
export interface Missing {
  readonly count: number;
  readonly isExact: boolean;
}

/** What could be read of a damaged database, each row by itself. */
export interface Salvage {
  readonly replicas: readonly ReplicaRow[];
  /** Those that have the digest they were stored with. */
  readonly records: readonly RecordRow[];
  readonly past: readonly PastRow[];
  readonly writers: readonly WriterRow[];
  readonly suspects: readonly SuspectRow[];
  readonly keys: readonly NamespaceKeyRow[];
  readonly logs: readonly NamespaceLogRow[];
  /** In the order in which they were made. */
  readonly outbox: readonly OutboxRow[];
  /** What was noted as written over what waits there. */
  readonly ownWrites: readonly OwnWriteRow[];
  /** Of the outbox: ops that do not have the running hash they were stored with. */
  readonly doubtful: number;
  readonly events: readonly AgentEventRow[];
  readonly injections: readonly {
    readonly session: string;
    readonly record: string;
    readonly at: number;
  }[];
  readonly bindings: readonly { readonly project: string; readonly namespace: string }[];
  readonly meta: readonly { readonly key: string; readonly value: string }[];
  readonly missing: {
    readonly changes: Missing;
    /** Records that no server can give back. */
    readonly records: Missing;
    readonly events: Missing;
    readonly bindings: Missing;
  };
}

type Rows = Readonly<Record<SavedTable, readonly Readonly<Record<string, CellValue>>[]>>;

/**
 * Reads what is left of a database, page by page (ST14). No tree leads the way, so a ruined header,
 * root or inner page costs nothing; freed pages hold nothing, since deleted content is overwritten.
 */
export function salvage(image: PageImage, sha256: Sha256): Salvage {
  const { rows, schema, opNames } = collect(image);
  const replicas = unique(rowsOf<ReplicaRow>(rows.replicas), ({ namespace }) => namespace);
  const records = soundRecords(sha256, rowsOf(rows.records));
  const ops = readableOps(sha256, rowsOf(rows.outbox), replicas);
  const events = rowsOf<AgentEventRow>(rows.agent_events).filter(({ payload }) => isJson(payload));
  const bindings = rowsOf<Salvage["bindings"][number]>(rows.bindings);
  const expected = (table: SavedTable): number | undefined => expectedRows(image, schema, table);
  return {
    replicas,
    records,
    past: rowsOf<PastRow>(rows.past).filter((row) => isSoundPast(sha256, row)),
    writers: rowsOf(rows.writers),
    suspects: rowsOf(rows.suspects),
    keys: rowsOf(rows.namespace_keys),
    logs: rowsOf(rows.namespace_logs),
    outbox: ops.rows,
    ownWrites: rowsOf(rows.own_writes),
    doubtful: ops.doubtful,
    events: events.toSorted((left, right) => left.id - right.id),
    injections: rowsOf(rows.injections),
    bindings,
    meta: rowsOf(rows.meta),
    missing: {
      changes: missingChanges({ replicas, ops: ops.rows, named: opNames }, expected("outbox")),
      records: missingRecords(replicas, records),
      events: missingOf(expected("agent_events"), events.length),
      bindings: missingOf(expected("bindings"), bindings.length),
    },
  };
}

interface Collected {
  readonly rows: Rows;
  readonly schema: readonly SchemaEntry[];
  /** Ops by what an index of the outbox says. */
  readonly opNames: ReadonlySet<string>;
}

function collect(image: PageImage): Collected {
  const rows: Record<SavedTable, Readonly<Record<string, CellValue>>[]> = {
    agent_events: [],
    bindings: [],
    injections: [],
    meta: [],
    namespace_keys: [],
    namespace_logs: [],
    outbox: [],
    own_writes: [],
    past: [],
    records: [],
    replicas: [],
    suspects: [],
    writers: [],
  };
  const schema: SchemaEntry[] = [];
  const opNames = new Set<string>();
  for (let number = 1; number <= image.pageCount; number += 1) {
    const page = treePage(image, number);
    if (page === undefined) continue;
    for (const cell of page.rows) {
      const op = page.kind === "table-leaf" ? undefined : opEntry(cell);
      if (op !== undefined) opNames.add(nameOf(op));
      if (page.kind !== "table-leaf") continue;
      const saved = savedRow(cell);
      const entry = saved === undefined ? schemaEntry(cell) : undefined;
      if (saved !== undefined) rows[saved.table].push(saved.row);
      if (entry !== undefined) schema.push(entry);
    }
  }
  return { rows, schema, opNames };
}

// The look of each row was checked when it was taken.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- says what the rows are
function rowsOf<Row>(rows: readonly object[]): readonly Row[] {
  return rows as readonly Row[];
}

function unique<Row>(rows: readonly Row[], keyOf: (row: Row) => string): readonly Row[] {
  return [...new Map(rows.map((row) => [keyOf(row), row])).values()];
}

function soundRecords(sha256: Sha256, rows: readonly RecordRow[]): readonly RecordRow[] {
  const sound = rows.filter((row) => {
    try {
      return recordDigest(sha256, confirmedOf(row).state) === row.digest;
    } catch {
      return false;
    }
  });
  return unique(sound, ({ namespace, id }) => `${namespace} ${id}`);
}

function isSoundPast(sha256: Sha256, { value, hash }: PastRow): boolean {
  try {
    return valueHash(sha256, JSON.parse(value) as JsonValue) === hash;
  } catch {
    return false;
  }
}

interface ReadableOps {
  readonly rows: readonly OutboxRow[];
  readonly doubtful: number;
}

// An op whose line has its running hash is what was made, whatever its other columns say. One whose
// hash cannot be had is taken if line and columns agree: it may be the only copy there is.
function readableOps(
  sha256: Sha256,
  found: readonly OutboxRow[],
  replicas: readonly ReplicaRow[],
): ReadableOps {
  const named = unique(found, nameOf);
  const chains = new Map(named.map((row) => [nameOf(row), row.chain]));
  for (const { namespace, writer, acked, acked_chain: chain } of replicas) {
    if (writer !== null) chains.set(nameOf({ namespace, writer, n: acked }), chain);
  }
  const read = named.flatMap((row) => readableOp(sha256, row, chains) ?? []);
  const rows = read.map(({ row }) => row);
  return {
    rows: rows.toSorted((left, right) => left.lamport - right.lamport || left.n - right.n),
    doubtful: read.filter(({ isDoubtful }) => isDoubtful).length,
  };
}

function readableOp(
  sha256: Sha256,
  row: OutboxRow,
  chains: ReadonlyMap<string, string>,
): { readonly row: OutboxRow; readonly isDoubtful: boolean } | undefined {
  const { writer, n, line } = row;
  const op = decodeOp(line, n);
  if (!op.ok) return undefined;
  const start = n === 1 ? chainStart(sha256, writer as WriterId) : undefined;
  const before = start ?? chains.get(nameOf({ ...row, n: n - 1 }));
  const isProven = before !== undefined && chainNext(sha256, before, line) === row.chain;
  const columns = rowOf(op.value);
  const isAgreed = columns.record === row.record && columns.lamport === row.lamport;
  if (!isProven && !isAgreed) return undefined;
  const reissued = row.reissued === 1 ? 1 : 0;
  return {
    row: { ...row, ...columns, state: stateOf(row.state), reissued },
    isDoubtful: !isProven && before !== undefined,
  };
}

function stateOf(state: OutboxRow["state"]): OutboxRow["state"] {
  return ["acked", "rejected", "unknown"].includes(state) ? state : "pending";
}

function nameOf(op: Pick<OutboxRow, "namespace" | "writer" | "n">): string {
  return `${op.namespace} ${op.writer} ${String(op.n)}`;
}

const gapMax = 1_000_000;

// Every op after `acked` waits in the outbox, so a gap in the numbers is a lost op. Where neither the
// outbox nor an index of it is whole, there may have been rejected ones that nothing tells of.
function missingChanges(
  {
    replicas,
    ops,
    named,
  }: {
    readonly replicas: readonly ReplicaRow[];
    readonly ops: readonly OutboxRow[];
    readonly named: ReadonlySet<string>;
  },
  expected: number | undefined,
): Missing {
  const found = new Set(ops.map(nameOf));
  const told = new Set(named);
  for (const { namespace, writer, acked, made } of replicas) {
    if (writer === null || made - acked > gapMax) continue;
    for (let n = acked + 1; n <= made; n += 1) told.add(nameOf({ namespace, writer, n }));
  }
  const lost = [...told].filter((name) => !found.has(name)).length;
  const count = expected === undefined ? lost : Math.max(0, expected - ops.length);
  return { count, isExact: expected !== undefined };
}

/** Whether a server gives the records of a namespace back. */
export function comesBack({ kind, status, server }: ReplicaRow): boolean {
  return kind !== "local" && status === "active" && server !== null;
}

function missingRecords(replicas: readonly ReplicaRow[], records: readonly RecordRow[]): Missing {
  const known = new Set(replicas.map(({ namespace }) => namespace));
  const count = replicas
    .filter((replica) => !comesBack(replica))
    .map(
      ({ namespace, count }) => count - records.filter((row) => row.namespace === namespace).length,
    )
    .reduce((sum, lost) => sum + Math.max(0, lost), 0);
  const isExact =
    known.has(localNamespace) && records.every(({ namespace }) => known.has(namespace));
  return { count, isExact };
}

function missingOf(expected: number | undefined, found: number): Missing {
  return { count: Math.max(0, (expected ?? 0) - found), isExact: expected !== undefined };
}
