import type { Result, Sha256 } from "@tidemark/protocol";
import { createBindings } from "./bindings.ts";
import { change } from "./changes/change.ts";
import { dropRejected, retryRejected } from "./changes/rejected.ts";
import type { StoreContext, StoreIdentity } from "./context.ts";
import { createReplicaStore } from "./exchange/create-replica-store.ts";
import type { Changes } from "./local-store.ts";
import { migrate } from "./migrate.ts";
import { migrations } from "./migrations/index.ts";
import { createReads } from "./reads/create-reads.ts";
import { createSessionLog } from "./session-log.ts";
import { openDatabase, type Database, type Probe } from "./sqlite.ts";
import type { Store } from "./store.ts";
import { attempt, StoreFailure, hintOf, type StoreError } from "./store-error.ts";
import { createUpkeep, rebuildSearch } from "./upkeep.ts";

/** What a store is opened with. */
export interface OpenOptions {
  /** The database file, or `:memory:`. */
  readonly path: string;
  readonly sha256: Sha256;
  readonly random: { bytes(count: number): Uint8Array };
  readonly clock: { nowMs(): number };
  /**
   * Makes an empty file that only its owner may read, and fails where one exists. SQLite gives its
   * side files the same mode.
   */
  readonly createPrivateFile: (
    path: string,
    bytes: string,
  ) => Result<unknown, { readonly kind: string; readonly hint?: string }>;
  readonly identity?: StoreIdentity | undefined;
  /** Where the native part of SQLite is, or what loads it, for a bundle that does not stand beside it. */
  readonly nativeBinding?: string | (() => object) | undefined;
  /** How long a call waits for another process's write. 5000 unless it says otherwise. */
  readonly busyTimeoutMs?: number | undefined;
  /** Id or name of the namespace of projects that are bound to none; else the personal one. */
  readonly defaultNamespace?: string | undefined;
  /** Where tests let a process die or a disk fill up. */
  readonly probe?: Probe | undefined;
}

/** Opens a store, or makes one (ST1, ST3). Never gives a store that could lose an acknowledged capture. */
export function openStore(options: OpenOptions): Result<Store, StoreError> {
  return attempt(() => storeOn(options, openMigrated(options)));
}

const busyTimeoutMsDefault = 5000;

function openMigrated(options: OpenOptions): Database {
  const { path, nativeBinding, busyTimeoutMs = busyTimeoutMsDefault, probe } = options;
  if (path !== ":memory:") ensureFile(options);
  const db = openDatabase({ path, nativeBinding, busyTimeoutMs, probe });
  try {
    migrate(db, migrations);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function ensureFile(options: OpenOptions): void {
  const created = options.createPrivateFile(options.path, "");
  if (created.ok || created.error.kind === "exists") return;
  throw new StoreFailure({
    kind: "cannot-open",
    message: `the database file cannot be made (${created.error.kind})`,
    hint: created.error.hint ?? hintOf("cannot-open"),
  });
}

function storeOn(options: OpenOptions, db: Database): Store {
  const { sha256, random, clock } = options;
  let identity = options.identity;
  const context: StoreContext = { db, sha256, random, clock, identity: () => identity };
  return {
    path: options.path,
    changes: createChanges(context),
    reads: createReads(context, () => {
      rebuildSearch(context);
    }),
    sessions: createSessionLog(context),
    bindings: createBindings(context, options.defaultNamespace),
    replicas: createReplicaStore(context),
    upkeep: createUpkeep(context),
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
    dropRejected: (op) => dropRejected(context, op),
  };
}
