import type { NamespaceId } from "@tidemark/protocol";
import type { Store, StoredRecord, StoreUsage } from "../port.ts";
import { memoryAccounts } from "./accounts.ts";
import { emptyAccounts, type AccountState } from "./account-state.ts";
import { expiredIn, purge } from "./deletion.ts";
import { memoryReader } from "./namespace-reader.ts";
import { memoryWriter, rollBack, type Undo } from "./namespace-writer.ts";

/** What a store in memory is made of. */
export interface MemoryStoreDeps {
  readonly clock: { nowMs(): number };
  /** What it holds; whoever passes it may look and copy, as into a backup. */
  readonly accounts?: AccountState;
  /** What stands for a row that PostgreSQL would refuse; it takes all unless given. */
  readonly refuses?: (record: StoredRecord) => boolean;
}

/**
 * The in-memory twin of the Postgres store, for tests and the simulator: the same contract, with a
 * queue per namespace where Postgres has a locked row.
 */
export function createMemoryStore(deps: MemoryStoreDeps): Store {
  const { accounts = emptyAccounts() } = deps;
  const lock = createLocks();
  return {
    writeNamespace: async (namespace, work) =>
      lock(namespace, async () => {
        const state = accounts.namespaces.get(namespace);
        if (state === undefined) return undefined;
        const undo: Undo = [];
        try {
          const { clock, refuses } = deps;
          return await work(memoryWriter(state, accounts, { undo, nowMs: clock.nowMs(), refuses }));
        } catch (error) {
          rollBack(state, undo);
          throw error;
        }
      }),
    readNamespace: async (namespace, work) =>
      lock(namespace, async () => {
        const state = accounts.namespaces.get(namespace);
        return state === undefined ? undefined : work(memoryReader(state, accounts));
      }),
    namespaceIds: async () => [...accounts.namespaces.keys()],
    usage: async () => usageOf(accounts),
    expiredNamespaces: async (countMax) => expiredIn(accounts, countMax, deps.clock.nowMs()),
    purgeNamespace: async (namespace, _rowsMax) =>
      lock(namespace, async () => purge(accounts, namespace, deps.clock.nowMs())),
    accounts: memoryAccounts(accounts, deps.clock, async (namespaces) => {
      for (const namespace of namespaces) await lock(namespace, async () => {});
    }),
    ping: async () => true,
    close: async () => {},
  };
}

/** One at a time for each namespace, in the order of arrival. */
function createLocks(): <T>(namespace: NamespaceId, work: () => Promise<T>) => Promise<T> {
  const lastByNamespace = new Map<NamespaceId, Promise<unknown>>();
  return (namespace, work) => {
    const before = lastByNamespace.get(namespace) ?? Promise.resolve();
    const result = before.then(work, work);
    const settled = result.catch(() => {});
    lastByNamespace.set(namespace, settled);
    return result;
  };
}

function usageOf({ namespaces }: AccountState): StoreUsage {
  const heads = [...namespaces.values()].map(({ head }) => head);
  const records = heads.map(({ liveCount }) => liveCount);
  const bytes = heads.map(({ liveBytes }) => liveBytes);
  const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);
  return {
    namespaces: heads.length,
    records: sum(records),
    bytes: sum(bytes),
    recordsMost: Math.max(0, ...records),
    bytesMost: Math.max(0, ...bytes),
  };
}
