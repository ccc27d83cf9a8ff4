import type postgres from "postgres";
import { isConnectionLost } from "./database-errors.ts";

/** One transaction on one connection. */
export type Transaction = postgres.TransactionSql<{ bigint: number }>;

type Sql = postgres.Sql<{ bigint: number }>;

/** Connections that survive the loss of some of them. */
export interface Pool {
  begin<T>(options: string, work: (tx: Transaction) => Promise<T>): Promise<T>;
  ping(): Promise<boolean>;
  close(): Promise<void>;
}

/** Seconds that transactions on other connections have to end once one connection was lost. */
const retireSeconds = 15;

/**
 * Wraps what is unsafe in postgres.js when a server ends a connection, in a fail-over for one: a
 * query sent on it afterwards throws where nobody can catch it, or runs on the connection's
 * successor outside of any transaction, and a connection that died with bytes unsent never speaks
 * again. So a transaction that lost its connection sends nothing more, not even a rollback, and the
 * connections that may be damaged are replaced.
 *
 * No statement goes out on its own, though that saves round trips: postgres.js sends such ones behind
 * each other, where one that follows a lost connection is answered with no rows or with holes, and a
 * `begin` behind a hundred of them starts a transaction that nobody ends.
 */
export function createPool(connect: () => Sql): Pool {
  let current = connect();
  const retire = (lost: Sql): void => {
    if (lost !== current) return;
    current = connect();
    void lost.end({ timeout: retireSeconds });
  };
  const begin: Pool["begin"] = async (options, work) => {
    const sql = current;
    try {
      return await transact(sql, options, work);
    } catch (error) {
      if (isConnectionLost(error)) retire(sql);
      throw error;
    }
  };
  return {
    begin,
    ping: () =>
      begin("read only", (tx) => tx`select 1`).then(
        () => true,
        () => false,
      ),
    close: () => current.end({ timeout: 5 }),
  };
}

async function transact<T>(
  sql: Sql,
  options: string,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const line: Line = { lost: undefined };
  try {
    const result = await sql.begin(options, async (tx) => {
      try {
        return { value: await work(guarded(tx, line)) };
      } catch (error) {
        if (isConnectionLost(error)) return await untilClosed();
        throw error;
      }
    });
    return (result as { readonly value: T }).value;
  } catch (error) {
    line.lost = error;
    throw error;
  }
}

interface Line {
  /** Set once the transaction is over, whoever still holds it. */
  lost: unknown;
}

// `begin` itself rejects when the connection has closed; settling before would make it send.
function untilClosed(): Promise<never> {
  return new Promise<never>(() => {});
}

function guarded(tx: Transaction, line: Line): Transaction {
  return new Proxy(tx, {
    apply: (target, self, input: unknown[]) => {
      if (line.lost !== undefined) throw line.lost;
      return Reflect.apply(target, self, input) as unknown;
    },
  });
}
