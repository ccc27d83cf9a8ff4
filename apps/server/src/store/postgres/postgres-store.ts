import type { NamespaceId } from "@tidemark/protocol";
import type { Store, StoreUsage } from "../port.ts";
import { postgresAccounts } from "./accounts.ts";
import { purge, readExpired } from "./deletion.ts";
import { openDoor, type PostgresStoreOptions, type Transaction } from "./door.ts";
import { postgresReader, readHead } from "./reader.ts";
import { postgresWriter } from "./writer.ts";

export type { PostgresStoreOptions };

/** The store on PostgreSQL. Run `migrate` before; nothing connects until the first call. */
export function createPostgresStore(options: PostgresStoreOptions): Store {
  const door = openDoor(options);
  return {
    writeNamespace: (namespace, work) =>
      door.withNamespace(namespace, "write", async (tx) => {
        // A statement of its own: one that waits for this lock and reads other tables as well would
        // see those as they were before the wait, and a duplicate push would pass as new.
        const head = await readHead(tx, namespace, true);
        if (head === undefined) return undefined;
        return work(postgresWriter({ tx, namespace, head, nowMs: options.clock.nowMs() }));
      }),
    readNamespace: (namespace, work) =>
      door.withNamespace(namespace, "read", async (tx) => {
        const head = await readHead(tx, namespace, false);
        return head === undefined ? undefined : work(postgresReader(tx, namespace, head));
      }),
    namespaceIds: () =>
      door.withAccounts(async (tx) => {
        const rows = await tx<{ readonly id: NamespaceId }[]>`
          select namespace_id as id from tidemark.namespaces`;
        return rows.map(({ id }) => id);
      }),
    usage: () => door.withAccounts(readUsage),
    expiredNamespaces: (countMax) =>
      door.withAccounts((tx) => readExpired(tx, countMax, options.clock.nowMs())),
    purgeNamespace: (namespace, rowsMax) =>
      door.withNamespace(namespace, "write", (tx) =>
        purge(tx, { namespace, rowsMax, nowMs: options.clock.nowMs() }),
      ),
    accounts: postgresAccounts(door, options.clock),
    ping: () => door.ping(),
    close: () => door.close(),
  };
}

async function readUsage(tx: Transaction): Promise<StoreUsage> {
  const [usage] = await tx<StoreUsage[]>`
    select count(*)::bigint as namespaces,
      coalesce(sum(live_count), 0)::bigint as records,
      coalesce(sum(live_bytes), 0)::bigint as bytes,
      coalesce(max(live_count), 0)::bigint as "recordsMost",
      coalesce(max(live_bytes), 0)::bigint as "bytesMost"
    from tidemark.namespaces`;
  if (usage === undefined) throw new Error("a sum has one row");
  return usage;
}
