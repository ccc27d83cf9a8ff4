import { emptyDigest, localNamespace, unpairedNamespace, type RecordId } from "@tidemark/protocol";
import type { NamespaceInfo, Suspect } from "@tidemark/protocol/wire";
import type { StoreContext } from "../context.ts";
import { opsInState } from "../records/outbox.ts";
import { readReplica, readReplicas, saveReplica } from "../records/replicas.ts";
import type { ReplicaRow } from "../rows.ts";
import { refreshViews } from "../view/projection.ts";
import { restampOutbox } from "./fork.ts";
import { readSealing } from "./sealing.ts";
import { takeSuspects } from "./suspects.ts";
import { foreignServerNotice, parkedNotice } from "./notices.ts";

/**
 * Takes what `hello` lists (NS10). New namespaces get an empty replica; the unpaired personal one
 * takes the server's id, for op lines do not name their namespace; missing ones are parked with all
 * they hold, and are active again when they return; those that hold nothing are dropped by the next
 * `hello` that does not list them (NS27). A namespace belongs to the server that listed
 * it first: what another server lists under its id is left alone.
 *
 * @param suspects all quarantines of these namespaces; undefined where the server told nothing of
 * any, and they stay as they are (QU4)
 */
export function takeNamespaces(
  context: StoreContext,
  serverId: string,
  listed: readonly NamespaceInfo[],
  suspects: readonly Suspect[] | undefined,
): void {
  const shown = listed.filter(({ id }) => id !== localNamespace && id !== unpairedNamespace);
  for (const one of shown) {
    takeOne(context, serverId, one);
    const isTheirs = readReplica(context, one.id)?.server === serverId;
    if (suspects !== undefined && isTheirs) takeSuspects(context, one.id, suspects);
  }
  const ids = new Set<string>(shown.map(({ id }) => id));
  for (const row of readReplicas(context)) {
    if (row.kind === "local" || ids.has(row.namespace)) continue;
    if (row.status === "active") {
      saveReplica(context, { ...row, status: "parked", notice: parkedNotice });
    } else if (row.server === serverId && holdsNothing(context, row.namespace)) {
      dropReplica(context, row.namespace);
    }
  }
}

/** Whether a parked namespace has no record and no change, and no project is bound to it (NS27). */
function holdsNothing({ db }: StoreContext, namespace: string): boolean {
  return !["records", "outbox", "bindings"].some((table) =>
    db.get(`SELECT 1 FROM ${table} WHERE namespace = ? LIMIT 1`, namespace),
  );
}

function dropReplica({ db }: StoreContext, namespace: string): void {
  for (const table of ["replicas", "suspects"] as const) {
    db.run(`DELETE FROM ${table} WHERE namespace = ?`, namespace);
  }
}

function takeOne(context: StoreContext, serverId: string, info: NamespaceInfo): void {
  const known = readReplica(context, info.id) ?? adoptUnpaired(context, info) ?? emptyReplica(info);
  if (known.server !== null && known.server !== serverId) {
    saveReplica(context, { ...known, status: "parked", notice: foreignServerNotice });
    return;
  }
  if (known.server === null && info.kind === "personal") mergeUnpaired(context, known);
  saveReplica(context, {
    ...known,
    name: readSealing(context, info.id)?.name ?? info.name,
    kind: info.kind,
    role: info.role,
    server: serverId,
    status: "active",
    head: Math.max(known.head, info.head),
    // A head that moved is not reached before a pull has (NS17), nor is one that a server which was set
    // back has no more: no copy is called synced for less.
    verified: info.head === known.head ? known.verified : 0,
    notice: known.status === "parked" ? null : known.notice,
  });
}

/** The row of a namespace of which nothing is held yet. */
export function emptyReplica(
  info: Pick<NamespaceInfo, "id" | "name" | "kind" | "role">,
): ReplicaRow {
  return {
    namespace: info.id,
    name: info.name,
    kind: info.kind,
    role: info.role,
    server: null,
    status: "active",
    writer: null,
    made: 0,
    chain: "",
    acked: 0,
    acked_chain: "",
    lamport: 0,
    cursor: "",
    head: 0,
    digest: emptyDigest,
    count: 0,
    heal_why: null,
    verified: 0,
    notice: null,
    synced_at: null,
    offered: null,
  };
}

const namespacedTables = [
  "replicas",
  "records",
  "outbox",
  "own_writes",
  "past",
  "writers",
  "observations",
  "bindings",
] as const;

function adoptUnpaired(context: StoreContext, info: NamespaceInfo): ReplicaRow | undefined {
  if (info.kind !== "personal") return undefined;
  const unpaired = readReplica(context, unpairedNamespace);
  if (unpaired?.status !== "unpaired") return undefined;
  for (const table of namespacedTables) {
    context.db.run(
      `UPDATE ${table} SET namespace = ? WHERE namespace = ?`,
      info.id,
      unpairedNamespace,
    );
  }
  return { ...unpaired, namespace: info.id };
}

/**
 * A namespace that has ops but had lost its row, as after a repair, stands beside the unpaired one:
 * what was saved since then under that one joins it (ST15).
 */
function mergeUnpaired(context: StoreContext, known: ReplicaRow): void {
  const unpaired = readReplica(context, unpairedNamespace);
  if (unpaired?.status !== "unpaired" || known.namespace === unpairedNamespace) return;
  const ops = opsInState(context, unpairedNamespace, "pending");
  context.db.run("DELETE FROM replicas WHERE namespace = ?", unpairedNamespace);
  for (const table of ["outbox", "writers", "bindings"] as const) {
    context.db.run(
      `UPDATE ${table} SET namespace = ? WHERE namespace = ?`,
      known.namespace,
      unpairedNamespace,
    );
  }
  context.db.run(
    "UPDATE OR REPLACE own_writes SET namespace = ? WHERE namespace = ?",
    known.namespace,
    unpairedNamespace,
  );
  const moved = new Set(ops.map(({ record }) => record as RecordId));
  refreshViews(context, unpairedNamespace, moved);
  known.lamport = Math.max(known.lamport, unpaired.lamport);
  restampOutbox(context, known);
}
