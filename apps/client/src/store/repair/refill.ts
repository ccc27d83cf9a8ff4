import { emptyDigest, isLamport, unpairedNamespace, type NamespaceId } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { restampOutbox } from "../exchange/fork.ts";
import { emptyReplica } from "../exchange/namespaces.ts";
import { salvagedNotice } from "../exchange/notices.ts";
import { confirmedOf, saveConfirmed } from "../records/confirmed.ts";
import { insertOp, opsInState } from "../records/outbox.ts";
import { readReplica, readReplicas, saveReplica } from "../records/replicas.ts";
import type { OutboxRow, RecordRow, ReplicaRow } from "../rows.ts";
import { rebuildSearch } from "../view/rebuild-search.ts";
import type { Bound } from "../sqlite.ts";
import type { Salvage } from "./salvage.ts";
import { savedColumns, type SavedTable } from "./table-rows.ts";

/**
 * Fills a new store with what was saved of a damaged one, in one transaction (ST15). It is a fork as
 * any other: ops go out again under writers of this store with the lamports they have (CH11), and a
 * namespace is pulled from its beginning, so what was not saved comes back and digests decide.
 */
export function refill(context: StoreContext, saved: Salvage): void {
  context.db.transact(() => {
    addReplicas(context, saved);
    for (const replica of readReplicas(context)) {
      addRecords(context, replica, saved.records);
    }
    addTables(context, saved);
    for (const op of saved.outbox) insertOp(context, op);
    for (const replica of readReplicas(context)) restamp(context, replica);
    rebuildSearch(context);
  });
}

function addReplicas(context: StoreContext, { replicas, records, outbox }: Salvage): void {
  for (const row of replicas) saveReplica(context, restarted(row));
  const isPaired = replicas.some(({ kind, server }) => kind === "personal" && server !== null);
  if (isPaired) context.db.run("DELETE FROM replicas WHERE namespace = ?", unpairedNamespace);
  for (const { namespace } of [...records, ...outbox]) {
    if (readReplica(context, namespace) === undefined) saveReplica(context, unknown(namespace));
  }
}

function restarted(row: ReplicaRow): ReplicaRow {
  return {
    ...row,
    writer: null,
    made: 0,
    chain: "",
    acked: 0,
    acked_chain: "",
    lamport: isLamport(row.lamport) ? row.lamport : 0,
    cursor: "",
    head: 0,
    digest: emptyDigest,
    count: 0,
    heal_why: null,
    verified: 0,
  };
}

// Its row is lost, so nothing is known of it: it waits, parked, until a server lists it again.
function unknown(namespace: string): ReplicaRow {
  const id = namespace as NamespaceId;
  const empty = emptyReplica({ id, name: namespace, kind: "team", role: "writer" });
  return { ...empty, role: null, status: "parked", notice: salvagedNotice };
}

function addRecords(context: StoreContext, replica: ReplicaRow, rows: readonly RecordRow[]): void {
  for (const row of rows) {
    if (row.namespace !== replica.namespace) continue;
    saveConfirmed(context, replica, { state: confirmedOf(row).state, seq: row.seq });
  }
  saveReplica(context, replica);
}

function addTables(context: StoreContext, saved: Salvage): void {
  const { db } = context;
  putBack(db, "own_writes", saved.ownWrites);
  putBack(db, "past", saved.past);
  putBack(db, "writers", saved.writers);
  putBack(db, "suspects", saved.suspects);
  putBack(db, "namespace_keys", saved.keys);
  putBack(db, "namespace_logs", saved.logs);
  putBack(db, "agent_events", saved.events);
  putBack(db, "injections", saved.injections);
  putBack(db, "bindings", saved.bindings);
  putBack(db, "meta", saved.meta);
}

/** Inserts rows as they were, every column of them; a row that is there by now stays. */
function putBack(
  db: StoreContext["db"],
  table: SavedTable,
  rows: readonly Readonly<Partial<Record<string, Bound>>>[],
): void {
  // A number that SQLite gives out anew.
  const columns = savedColumns[table].filter((column) => column !== "id");
  const places = columns.map(() => "?").join(", ");
  const sql = `INSERT OR IGNORE INTO ${table} (${columns.join(", ")}) VALUES (${places})`;
  for (const row of rows) db.run(sql, ...columns.map((column) => row[column] ?? null));
}

function restamp(context: StoreContext, replica: ReplicaRow): void {
  const unsent: readonly OutboxRow["state"][] = ["pending", "acked", "unknown"];
  const all = opsInState(context, replica.namespace, ...unsent, "rejected");
  if (all.length === 0) return;
  for (const { lamport } of all) replica.lamport = Math.max(replica.lamport, lamport);
  if (all.some(({ state }) => state !== "rejected")) restampOutbox(context, replica);
  saveReplica(context, replica);
}
