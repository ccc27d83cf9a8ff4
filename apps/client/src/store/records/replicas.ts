import {
  chainStart,
  idBytes,
  unpairedNamespace,
  writerId,
  type NamespaceId,
  type WriterId,
} from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import type { ReplicaRow } from "../rows.ts";

const columns = `namespace, name, kind, role, server, status, writer, made, chain, acked, acked_chain,
  lamport, cursor, head, digest, count, heal_why, verified, notice, synced_at, offered`;

/** A namespace's row; changes to it are kept by {@link saveReplica}. */
export function readReplica(context: StoreContext, namespace: string): ReplicaRow | undefined {
  return context.db.get<ReplicaRow>(
    `SELECT ${columns} FROM replicas WHERE namespace = ?`,
    namespace,
  );
}

/** All namespaces: `local` first, then by name. */
export function readReplicas(context: StoreContext): readonly ReplicaRow[] {
  return context.db.all<ReplicaRow>(
    `SELECT ${columns} FROM replicas ORDER BY kind <> 'local', name, namespace`,
  );
}

/**
 * The row that a namespace's name means: `personal` goes on meaning the personal namespace after
 * pairing gave it the server's id, so a capture that began before does not get lost (NS16).
 */
export function resolveReplica(context: StoreContext, namespace: string): ReplicaRow | undefined {
  const row = readReplica(context, namespace);
  if (row !== undefined || namespace !== unpairedNamespace) return row;
  return context.db.get<ReplicaRow>(
    `SELECT ${columns} FROM replicas WHERE kind = 'personal' ORDER BY status = 'parked' LIMIT 1`,
  );
}

/** The id that a namespace's name means now; the name itself where there is no such namespace. */
export function resolveNamespace(context: StoreContext, namespace: string): NamespaceId {
  return (resolveReplica(context, namespace)?.namespace ?? namespace) as NamespaceId;
}

/** Writes a row back, or a new one. */
export function saveReplica(context: StoreContext, row: ReplicaRow): void {
  context.db.run(
    `INSERT INTO replicas (${columns})
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (namespace) DO UPDATE SET
       name = excluded.name, kind = excluded.kind, role = excluded.role, server = excluded.server,
       status = excluded.status, writer = excluded.writer, made = excluded.made,
       chain = excluded.chain, acked = excluded.acked, acked_chain = excluded.acked_chain,
       lamport = excluded.lamport, cursor = excluded.cursor, head = excluded.head,
       digest = excluded.digest, count = excluded.count, heal_why = excluded.heal_why,
       verified = excluded.verified, notice = excluded.notice, synced_at = excluded.synced_at,
       offered = excluded.offered`,
    row.namespace,
    row.name,
    row.kind,
    row.role,
    row.server,
    row.status,
    row.writer,
    row.made,
    row.chain,
    row.acked,
    row.acked_chain,
    row.lamport,
    row.cursor,
    row.head,
    row.digest,
    row.count,
    row.heal_why,
    row.verified,
    row.notice,
    row.synced_at,
    row.offered,
  );
}

/** This store's writer in a namespace; the first op mints it. */
export function ownWriter(context: StoreContext, replica: ReplicaRow): WriterId {
  return replica.writer === null ? mintWriter(context, replica) : (replica.writer as WriterId);
}

/** Gives the replica a new writer, whose history is empty (CH1). */
export function mintWriter(context: StoreContext, replica: ReplicaRow): WriterId {
  const writer = writerId(context.random.bytes(idBytes));
  const start = chainStart(context.sha256, writer);
  replica.writer = writer;
  replica.made = 0;
  replica.chain = start;
  replica.acked = 0;
  replica.acked_chain = start;
  replica.offered = null;
  context.db.run(
    "INSERT INTO writers (namespace, writer, own) VALUES (?, ?, 1)",
    replica.namespace,
    writer,
  );
  return writer;
}
