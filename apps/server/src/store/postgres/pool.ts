import pLimit from "p-limit";
import type postgres from "postgres";
import { isConnectionLost, isReadOnly } from "./database-errors.ts";
import { beatsOfSilence, createSilenceWatch, type Heard } from "./silence.ts";

/** One transaction on one connection. */
export type Transaction = postgres.TransactionSql<{ bigint: number }>;

type Sql = postgres.Sql<{ bigint: number }>;

/** Connections that survive the loss of some of them. */
export interface Pool {
  begin<T>(options: string, work: (tx: Transaction) => Promise<T>): Promise<T>;
  ping(): Promise<boolean>;
  close(): Promise<void>;
}

/** How connections are made and watched. */
export interface PoolOptions {
  readonly connect: () => Sql;
  /** How many connections it makes. */
  readonly size: number;
  /** Milliseconds without a word after which, at the earliest, a connection counts as lost. */
  readonly silentMs: number;
  readonly timers: { every(ms: number, tick: () => void): () => void };
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
 *
 * Nor does anything wait for a connection inside postgres.js: what waits there revives connections
 * that were ended, for good. Whoever has a turn has a connection, so silence is its connection's.
 *
 * A connection that a fail-over led to a standby is as good as any and refuses every write, as long as
 * it lives (PG51). So those are replaced too, once between two beats: what stays a standby is not
 * connected to anew for each write.
 */
export function createPool({ connect, size, silentMs, timers }: PoolOptions): Pool {
  let current = connect();
  let isClosed = false;
  const inTurn = pLimit(size);
  const watch = createSilenceWatch();
  let mayLeaveStandby = true;
  const stopBeats = timers.every(silentMs / (beatsOfSilence - 1), () => {
    watch.beat();
    mayLeaveStandby = true;
  });
  const retire = (lost: Sql): void => {
    if (lost !== current || isClosed) return;
    current = connect();
    void lost.end({ timeout: retireSeconds });
  };
  const leaveStandby = (standby: Sql): void => {
    if (!mayLeaveStandby) return;
    mayLeaveStandby = false;
    retire(standby);
  };
  const attempt: Pool["begin"] = async (options, work) => {
    const sql = current;
    const heard = watch.listen();
    const line: Line = { lost: undefined };
    try {
      // What is silent is left to itself; it ends when the connections of its time are retired.
      return await Promise.race([heard.silent, transact({ sql, options, line, heard }, work)]);
    } catch (error) {
      line.lost = error;
      if (isConnectionLost(error)) retire(sql);
      else if (isReadOnly(error)) leaveStandby(sql);
      throw error;
    } finally {
      heard.over();
    }
  };
  const begin: Pool["begin"] = (options, work) => inTurn(() => attempt(options, work));
  return {
    begin,
    ping: () =>
      begin("read only", (tx) => tx`select 1`).then(
        () => true,
        () => false,
      ),
    close: async () => {
      isClosed = true;
      try {
        await current.end({ timeout: 5 });
      } finally {
        stopBeats();
        watch.end();
      }
    },
  };
}

interface Line {
  /** Set once the transaction is over, whoever still holds it. */
  lost: unknown;
}

interface Asked {
  readonly sql: Sql;
  readonly options: string;
  readonly line: Line;
  readonly heard: Heard;
}

async function transact<T>(
  { sql, options, line, heard }: Asked,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const result = await sql.begin(options, async (tx) => {
    heard.heard();
    if (line.lost !== undefined) return await untilClosed();
    try {
      const value = await work(guarded(tx, line, heard));
      // Its last answer may come after it was given up: a commit now could undo what others wrote.
      return line.lost === undefined ? { value } : await untilClosed();
    } catch (error) {
      if (isConnectionLost(error)) return await untilClosed();
      throw error;
    }
  });
  return (result as { readonly value: T }).value;
}

// `begin` itself rejects when the connection has closed; settling before would make it send.
function untilClosed(): Promise<never> {
  return new Promise<never>(() => {});
}

function guarded(tx: Transaction, line: Line, { heard }: Heard): Transaction {
  return new Proxy(tx, {
    apply: (target, self, input: unknown[]) => {
      if (line.lost !== undefined) throw line.lost;
      const query: unknown = Reflect.apply(target, self, input);
      heard();
      // A query is sent by the first who waits for it; to listen for its answer must not be that.
      if (query instanceof Promise) void Promise.prototype.then.call(query, heard, heard);
      return query;
    },
  });
}
