/** Bugs that a server might have. The interleaver has to find each of them. */
import type { NamespaceReader, Store } from "../../apps/server/src/store/port.ts";

/** The head row is read, and not locked. */
export function withoutLock(sql: string): string {
  return sql.replace(/for update/, "");
}

/** Each statement of a read sees a snapshot of its own. */
export function withoutSnapshot(sql: string): string {
  return sql.replace("isolation level repeatable read", "isolation level read committed");
}

/** The page is read first and the head after it, each in a transaction. */
export function headAfterPage(store: Store): Store {
  return {
    ...store,
    readNamespace: async (namespace, work) => {
      const seen = new Map<string, Promise<unknown>>();
      await store.readNamespace(namespace, (tx) => work(remembering(tx, seen)));
      return store.readNamespace(namespace, (tx) =>
        work({ ...remembering(tx, seen), head: () => tx.head() }),
      );
    },
  };
}

function remembering(tx: NamespaceReader, seen: Map<string, Promise<unknown>>): NamespaceReader {
  const entries = Object.entries(tx).map(([name, method]: [string, unknown]) => [
    name,
    (...input: readonly unknown[]) => {
      const key = JSON.stringify([name, ...input]);
      const answer = seen.get(key) ?? (method as (...input: readonly unknown[]) => never)(...input);
      seen.set(key, answer);
      return answer;
    },
  ]);
  return Object.fromEntries(entries) as NamespaceReader;
}

/** Seqs are given out before the transaction that stores them, as a sequence of the database does. */
export function seqsAhead(store: Store): Store {
  const most = 3;
  return {
    ...store,
    writeNamespace: async (namespace, work) => {
      const start = await store.writeNamespace(namespace, async (tx) => {
        const head = await tx.head();
        const mark = `ahead${head.head}`;
        await tx.saveHead({ ...head, head: head.head + most, mark });
        return head.head;
      });
      return store.writeNamespace(namespace, async (tx) => {
        const now = await tx.head();
        return work({
          ...tx,
          head: async () => ({ ...now, head: start ?? 0 }),
          saveHead: (head) => tx.saveHead({ ...head, head: now.head, mark: now.mark }),
        });
      });
    },
  };
}
