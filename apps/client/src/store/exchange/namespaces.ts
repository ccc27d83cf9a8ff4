import { emptyDigest, localNamespace, unpairedNamespace } from "@tidemark/protocol";
import type { NamespaceInfo } from "@tidemark/protocol/wire";
import type { StoreContext } from "../context.ts";
import { readReplica, readReplicas, saveReplica } from "../records/replicas.ts";
import type { ReplicaRow } from "../rows.ts";
import { foreignServerNotice, parkedNotice } from "./notices.ts";

/**
 * Takes what `hello` lists (NS10). New namespaces get an empty replica; the unpaired personal one
 * takes the server's id, for op lines do not name their namespace; missing ones are parked with all
 * they hold, and are active again when they return. A namespace belongs to the server that listed
 * it first: what another server lists under its id is left alone.
 */
export function takeNamespaces(
  context: StoreContext,
  serverId: string,
  listed: readonly NamespaceInfo[],
): void {
  const shown = listed.filter(({ id }) => id !== localNamespace && id !== unpairedNamespace);
  for (const one of shown) takeOne(context, serverId, one);
  const ids = new Set<string>(shown.map(({ id }) => id));
  for (const row of readReplicas(context)) {
    if (row.status !== "active" || row.kind === "local" || ids.has(row.namespace)) continue;
    saveReplica(context, { ...row, status: "parked", notice: parkedNotice });
  }
}

function takeOne(context: StoreContext, serverId: string, info: NamespaceInfo): void {
  const known = readReplica(context, info.id) ?? adoptUnpaired(context, info) ?? emptyReplica(info);
  if (known.server !== null && known.server !== serverId) {
    saveReplica(context, { ...known, status: "parked", notice: foreignServerNotice });
    return;
  }
  saveReplica(context, {
    ...known,
    name: info.name,
    kind: info.kind,
    role: info.role,
    server: serverId,
    status: "active",
    head: Math.max(known.head, info.head),
    // A head that moved is not reached before a pull has (NS17): no copy is called synced for less.
    verified: info.head > known.head ? 0 : known.verified,
    notice: known.status === "parked" ? null : known.notice,
  });
}

function emptyReplica(info: NamespaceInfo): ReplicaRow {
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
  };
}

const namespacedTables = [
  "replicas",
  "records",
  "outbox",
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
