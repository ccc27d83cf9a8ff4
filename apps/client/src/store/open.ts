import type { Result } from "@tidemark/protocol";
import { createBindings } from "./bindings.ts";
import { change } from "./changes/change.ts";
import { mendRejected } from "./changes/mended.ts";
import { dropRejected, retryRejected } from "./changes/rejected.ts";
import type { StoreContext } from "./context.ts";
import { createReplicaStore } from "./exchange/create-replica-store.ts";
import type { Changes } from "./local-store.ts";
import { contextOn, openStoreDatabase, type OpenOptions } from "./open-database.ts";
import { createReads } from "./reads/create-reads.ts";
import { createSessionLog } from "./session-log.ts";
import type { Database } from "./sqlite.ts";
import type { Store } from "./store.ts";
import { attempt, type StoreError } from "./store-error.ts";
import { createUpkeep } from "./upkeep.ts";
import { createVectors } from "./vectors/vectors.ts";

export type { OpenOptions, StoreFiles, Suspicion } from "./open-database.ts";

/** Opens a store, or makes one (ST1, ST3). Never gives a store that could lose an acknowledged capture. */
export function openStore(options: OpenOptions): Result<Store, StoreError> {
  return attempt(() => storeOn(options, openStoreDatabase(options)));
}

function storeOn(options: OpenOptions, opened: Database): Store {
  let { identity } = options;
  const context = contextOn(opened, options, () => identity);
  const { db } = context;
  return {
    path: options.path,
    changes: createChanges(context),
    reads: createReads(context),
    sessions: createSessionLog(context),
    bindings: createBindings(context, options.defaultNamespace),
    replicas: createReplicaStore(context),
    upkeep: createUpkeep(context),
    vectors: createVectors(context),
    transact: (work) => db.transact(work),
    setIdentity: (next) => {
      identity = next;
    },
    close: () => {
      db.close();
    },
  };
}

function createChanges(context: StoreContext): Changes {
  return {
    change: (namespace, changes, atMs) => change(context, { namespace, changes, atMs }),
    retryRejected: (op, atMs) => retryRejected(context, op, atMs),
    mendRejected: (op, rewrite) => mendRejected(context, op, rewrite),
    dropRejected: (op) => dropRejected(context, op),
  };
}
