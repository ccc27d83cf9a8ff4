import type { NamespaceId } from "@tidemark/protocol";
import postgres from "postgres";
import { postgresTarget } from "../../postgres-target.ts";
import { serverConnection } from "../../server-connection.ts";
import { StoreUnavailable } from "../store-unavailable.ts";
import { RowRefused } from "../row-refused.ts";
import { codeOf, judgeDatabaseError, type DatabaseVerdict } from "./database-errors.ts";
import { poolSizePreset } from "./pool-size.ts";
import { createPool, type Transaction } from "./pool.ts";
import type { Timers } from "../../platform/timers.ts";
import { textArray, textArrayType } from "./text-array.ts";

/** What a Postgres store needs from outside, and how it connects. */
export interface PostgresStoreOptions {
  /** A connection string; `?host=/folder` names a socket. */
  readonly url: string;
  readonly clock: { nowMs(): number };
  /** For the jitter of retries. */
  readonly random: { bytes(count: number): Uint8Array };
  readonly timers: Pick<Timers, "sleep" | "every">;
  /** Connections; default {@link poolSizePreset}. */
  readonly poolSize?: number;
  /**
   * Prepared statements; false behind a pooler that does not know them. Default: what the connection
   * string says (`?prepare=false`), else true.
   */
  readonly prepare?: boolean;
  /** A role to take for each transaction, where the connection's own is the owner. */
  readonly role?: string;
  /** Milliseconds without a word after which a connection counts as lost; default 20,000. */
  readonly silentMs?: number;
  /** Is told when a transaction is asked for (1) and when it is over (-1). */
  readonly onTransaction?: (change: 1 | -1) => void;
}

export type { Transaction };

/** The only way to the database: there is no query outside a transaction that these open. */
export interface Door {
  /**
   * A transaction in which row-level security shows one namespace and no other (PG3). Reads see
   * one snapshot (PL2). A serialization failure or deadlock runs `work` again. A row that
   * PostgreSQL refuses for what it holds throws `RowRefused`.
   */
  withNamespace<T>(
    namespace: NamespaceId,
    mode: "read" | "write",
    work: (tx: Transaction) => Promise<T>,
  ): Promise<T>;
  /** A transaction on people, devices, links and keys; it sees no namespace's content. */
  withAccounts<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Whether the database answers. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}

const attemptsMax = 5;
const retryMsMax = 50;
const statementTimeoutMs = 10_000;
const lockTimeoutMs = 5_000;
const idleTimeoutMs = 15_000;
/**
 * Longest wait before a connection is tried again, in seconds. With the time that one may take to be
 * made it is less than a silence: what waits for a connection is not given up with it.
 */
const backoffMax = 3;
/** More than a server that is there needs to answer or to end what waits for us. */
const silentMsPreset = 20_000;

/** Opens the pool; connections are made as they are needed. */
export function openDoor(options: PostgresStoreOptions): Door {
  const target = postgresTarget(options.url);
  const size = options.poolSize ?? poolSizePreset;
  const connect = (): postgres.Sql<{ bigint: number }> =>
    postgres(target.url, {
      ...target.options,
      max: size,
      ...(options.prepare === undefined ? {} : { prepare: options.prepare }),
      connect_timeout: 10,
      backoff: (attempt) => jitterOf(options.random) * Math.min(3 ** attempt / 100, backoffMax),
      idle_timeout: 300,
      onnotice: () => {},
      fetch_types: false,
      connection: { application_name: serverConnection },
      types: {
        // Positions and lamports stay below 2^53; digests are read as hex text.
        bigint: { to: 20, from: [20], parse: Number, serialize: String },
        // Arrays are only sent; `text[]` is never read.
        texts: { to: textArrayType, from: [], parse: String, serialize: textArray },
      },
    });
  const { silentMs = silentMsPreset, timers } = options;
  const pool = createPool({ connect, size, silentMs, timers });
  const run = <T>(kind: TransactionKind, work: (tx: Transaction) => Promise<T>): Promise<T> =>
    retrying(options, kind.retried, async () => {
      options.onTransaction?.(1);
      try {
        return await pool.begin(kind.begin, async (tx) => {
          await setUp(tx, kind.namespace, options.role);
          return work(tx);
        });
      } finally {
        options.onTransaction?.(-1);
      }
    });
  return {
    withNamespace: (namespace, mode, work) =>
      namingRefusals(() => run({ ...kinds[mode], namespace }, work)),
    withAccounts: (work) => run({ ...kinds.accounts, namespace: "" }, work),
    ping: () => pool.ping(),
    close: () => pool.close(),
  };
}

interface TransactionKind {
  readonly begin: string;
  readonly retried: readonly DatabaseVerdict[];
  readonly namespace: string;
}

const kinds = {
  read: { begin: "isolation level repeatable read read only", retried: ["retry-now"] },
  // Under the head row's lock each statement must see what the holder before has committed.
  write: { begin: "isolation level read committed", retried: ["retry-now"] },
  // Of two who take the same link or key, the second looks again and sees the first.
  accounts: { begin: "isolation level read committed", retried: ["retry-now", "duplicate"] },
} as const satisfies Readonly<Record<string, Omit<TransactionKind, "namespace">>>;

// Local to the transaction, so nothing survives on a pooled connection (PgBouncer included).
async function setUp(tx: Transaction, namespace: string, role: string | undefined): Promise<void> {
  await tx`
    select set_config('tidemark.namespace_id', ${namespace}, true),
      set_config('statement_timeout', ${String(statementTimeoutMs)}, true),
      set_config('lock_timeout', ${String(lockTimeoutMs)}, true),
      set_config('idle_in_transaction_session_timeout', ${String(idleTimeoutMs)}, true),
      ${role === undefined ? tx`null` : tx`set_config('role', ${role}, true)`}`;
}

async function namingRefusals<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (judgeDatabaseError(error) !== "refused") throw error;
    throw new RowRefused(codeOf(error) ?? "", error);
  }
}

async function retrying<T>(
  deps: Pick<PostgresStoreOptions, "random" | "timers">,
  retried: readonly DatabaseVerdict[],
  attempt: () => Promise<T>,
): Promise<T> {
  for (let count = 1; ; count += 1) {
    try {
      return await attempt();
    } catch (error) {
      const verdict = judgeDatabaseError(error);
      if (verdict === "unavailable") throw new StoreUnavailable(error);
      if (!retried.includes(verdict)) throw error;
      if (count === attemptsMax) throw new StoreUnavailable(error);
      await deps.timers.sleep(jitterOf(deps.random) * retryMsMax);
    }
  }
}

/** A share from 0 to 1, so that those who failed together do not come back together. */
function jitterOf(random: PostgresStoreOptions["random"]): number {
  const [byte = 0] = random.bytes(1);
  return byte / 255;
}
