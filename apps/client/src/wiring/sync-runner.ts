import type { NamespaceProgress, SyncOutcome } from "../sync/outcome.ts";
import { helloWithKeys } from "../sync/sealed/hello-with-keys.ts";
import type { Home } from "./home.ts";
import type { Memory } from "./memory.ts";
import type { Server } from "./server.ts";
import { noteSync } from "./sync-note.ts";
import { takeSyncTurn } from "./sync-turn.ts";

/** How a sync is run once. */
interface RunOptions {
  readonly signal: AbortSignal;
  /** How long to wait for another process that syncs, in milliseconds. */
  readonly waitMs: number;
  readonly budgetMs?: number;
  readonly onProgress?: (look: () => readonly NamespaceProgress[]) => void;
}

/** How it ended: run to its end, or another process did not let go of the engine. */
type RunOutcome =
  | { readonly kind: "ended"; readonly sync: SyncOutcome }
  | { readonly kind: "held"; readonly pid: number | undefined };

/** Runs the sync engine once, under the lock. */
export interface SyncRunner {
  run(options: RunOptions): Promise<RunOutcome>;
  /**
   * Asks which namespaces there are and which devices are in quarantine, and makes copies of new
   * ones; false where the server did not say.
   */
  learnNamespaces(signal: AbortSignal): Promise<boolean>;
}

/** A runner for a paired device. */
export function createSyncRunner(home: Home, memory: Memory, server: Server): SyncRunner {
  return {
    run: async ({ waitMs, ...once }) => {
      const turn = await takeSyncTurn(home, waitMs);
      if (!turn.ok) return turn.error;
      try {
        const sync = await server.engine(memory.store).syncOnce(once);
        noteSync(memory, sync.failure);
        return { kind: "ended", sync };
      } finally {
        turn.value.release();
      }
    },
    learnNamespaces: async (signal) => {
      const keys = server.keyExchange(memory.store);
      const serverId = server.identity.server.id;
      const hello = await helloWithKeys({ transport: server.transport, keys, serverId }, signal);
      if (!hello.ok || hello.value.namespaces === undefined) return false;
      const { server: told, namespaces, suspects } = hello.value;
      if (told.id !== serverId) return false;
      memory.store.replicas.takeNamespaces(told.id, namespaces, suspects);
      for (const { id } of namespaces) await keys.refresh(id, signal);
      return true;
    },
  };
}
