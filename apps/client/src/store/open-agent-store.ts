import type { Result } from "@tidemark/protocol";
import type { AgentStore } from "./agent-store.ts";
import { createBindings } from "./bindings.ts";
import { change } from "./changes/change.ts";
import { contextOn, openStoreDatabase, type OpenOptions } from "./open-database.ts";
import { createAgentReads } from "./reads/agent-reads.ts";
import { createSessionLog } from "./session-log.ts";
import { attempt, type StoreError } from "./store-error.ts";

/** Opens a store as `openStore` does, for what a hook needs of it. */
export function openAgentStore(options: OpenOptions): Result<AgentStore, StoreError> {
  return attempt(() => {
    const context = contextOn(openStoreDatabase(options), options, () => options.identity);
    const { db } = context;
    return {
      changes: {
        change: (namespace, changes, atMs) => change(context, { namespace, changes, atMs }),
      },
      reads: createAgentReads(context),
      sessions: createSessionLog(context),
      bindings: createBindings(context, options.defaultNamespace),
      transact: (work) => db.transact(work),
      close: () => {
        db.close();
      },
    };
  });
}
