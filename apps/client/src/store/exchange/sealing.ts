import { isEncryptedId, type NamespaceId, type RecordId } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { readReplica, saveReplica } from "../records/replicas.ts";
import type { ReplicaStore, Sealing } from "../replica-store.ts";
import type { NamespaceLogRow, ReplicaRow } from "../rows.ts";
import { takeOpenedBack } from "../sealed/closed-ops.ts";
import { readKeys, ringOf, saveKeys } from "../sealed/key-rows.ts";
import { refreshViews } from "../view/projection.ts";
import { renewWriter } from "./fork.ts";
import { resealRefused, resealUnsent } from "./reseal.ts";

/** The side of a replica store that concerns encrypted namespaces. */
export function createSealingStore(
  context: StoreContext,
): Pick<
  ReplicaStore,
  "sealing" | "seenLog" | "takeSealing" | "distrust" | "heldKeys" | "resealRefused"
> {
  const { db } = context;
  return {
    sealing: (namespace) => readSealing(context, namespace),
    heldKeys: (namespace) => readKeys(context, namespace),
    seenLog: (namespace) => {
      const row = db.get<{ entries: string | null }>(
        "SELECT entries FROM namespace_logs WHERE namespace = ?",
        namespace,
      );
      return JSON.parse(row?.entries ?? "[]") as readonly string[];
    },
    takeSealing: (sealing, keys) =>
      db.transact(() => {
        const { namespace, length, head, epoch, name, entries } = sealing;
        if (!goesOn(context, sealing)) return false;
        db.run(
          `INSERT INTO namespace_logs (namespace, length, head, epoch, name, entries)
           VALUES (?, ?, ?, ?, ?, ?)
           ON CONFLICT (namespace) DO UPDATE SET length = excluded.length, head = excluded.head,
             epoch = excluded.epoch, name = coalesce(excluded.name, name), trouble = NULL,
             entries = excluded.entries`,
          namespace,
          length,
          head,
          epoch,
          name ?? null,
          JSON.stringify(entries),
        );
        const isNew = keys !== undefined && saveKeys(context, keys);
        const replica = readReplica(context, namespace);
        if (replica === undefined) return true;
        if (isNew) sealForNewKeys(context, replica);
        saveReplica(context, { ...replica, name: name ?? replica.name });
        if (isNew) refreshViews(context, namespace, allRecords(context, namespace));
        return true;
      }),
    distrust: (namespace, trouble) => {
      db.transact(() => {
        db.run(
          `INSERT INTO namespace_logs (namespace, length, head, epoch, trouble)
           VALUES (?, 0, '', 0, ?)
           ON CONFLICT (namespace) DO UPDATE SET trouble = excluded.trouble`,
          namespace,
          trouble,
        );
      });
    },
    resealRefused: (namespace) =>
      db.transact(() => {
        const replica = readReplica(context, namespace);
        if (replica === undefined) return false;
        const isChanged = resealRefused(context, replica);
        saveReplica(context, replica);
        return isChanged;
      }),
  };
}

/** What waited for a key goes out under a new writer, for its own may have others behind it (EE30). */
function sealForNewKeys(context: StoreContext, replica: ReplicaRow): void {
  if (takeOpenedBack(context, replica)) renewWriter(context, replica);
  else resealUnsent(context, replica);
}

/** Whether a log begins with all that is known of it here: another process may have read more. */
function goesOn({ db }: StoreContext, log: Parameters<ReplicaStore["takeSealing"]>[0]): boolean {
  const known = db.get<Pick<NamespaceLogRow, "length" | "head"> & { entries: string | null }>(
    "SELECT length, head, entries FROM namespace_logs WHERE namespace = ?",
    log.namespace,
  );
  // Each entry names the one before it: one head has one log.
  if (known === undefined || known.length === 0 || known.head === log.head) return true;
  if (known.length >= log.length) return false;
  const seen = JSON.parse(known.entries ?? "[]") as readonly string[];
  return seen.every((entry, at) => entry === log.entries[at]);
}

/** See `ReplicaStore.sealing`. */
export function readSealing(context: StoreContext, namespace: string): Sealing | undefined {
  if (!isEncryptedId(namespace)) return undefined;
  const row = context.db.get<NamespaceLogRow>(
    "SELECT namespace, length, head, epoch, name, trouble FROM namespace_logs WHERE namespace = ?",
    namespace,
  );
  if (row === undefined) return undefined;
  const { length, head, epoch } = row;
  return {
    namespace: namespace as NamespaceId,
    length,
    head,
    epoch,
    name: row.name ?? undefined,
    hasKey: epoch > 0 && ringOf(context, namespace)?.epoch === epoch,
    trouble: row.trouble ?? undefined,
  };
}

/** Whether anything of a namespace may be sent: what is not verified is sent nothing (EE10). */
export function maySend(context: StoreContext, namespace: string): boolean {
  if (!isEncryptedId(namespace)) return true;
  const sealing = readSealing(context, namespace);
  return sealing !== undefined && sealing.trouble === undefined && sealing.hasKey;
}

/** The ids of what is in a namespace here, changes that wait included. */
export function allRecords(context: StoreContext, namespace: string): readonly RecordId[] {
  return context.db
    .all<{ id: RecordId }>(
      `SELECT id FROM records WHERE namespace = ?1
       UNION SELECT record FROM outbox WHERE namespace = ?1`,
      namespace,
    )
    .map(({ id }) => id);
}
