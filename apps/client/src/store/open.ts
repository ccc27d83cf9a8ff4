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
import { openDatabase, type Database, type DatabaseWatch, type Probe } from "./sqlite.ts";
import type { Store } from "./store.ts";
import { attempt, StoreFailure, hintOf, type StoreError } from "./store-error.ts";
import { createUpkeep, rebuildSearch } from "./upkeep.ts";
import { guardIndex } from "./view/search-index.ts";

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
  /** Looks after the file; without it a database that is being repaired is opened all the same. */
  readonly files?: StoreFiles | undefined;
}

/** What an open asks about the files of a database (ST17). */
export interface StoreFiles {
  /** Tells a file from another one under the same path; undefined where there is none. */
  mark(path: string): string | undefined;
  /** Whether another process repairs the database now. */
  isMending(path: string): boolean;
  /** Whether the file is empty though its log is not: SQLite would throw the log away. */
  isEmptied(path: string): boolean;
  /** Whether the log was taken away while it was in use. */
  isLogGone(path: string): boolean;
  /** Leaves word that the database needs a look. */
  note(path: string, what: Suspicion): void;
}

/** Why a database needs a look. */
export type Suspicion = "damaged" | "log-gone";

/** Opens a store, or makes one (ST1, ST3). Never gives a store that could lose an acknowledged capture. */
export function openStore(options: OpenOptions): Result<Store, StoreError> {
  return attempt(() => storeOn(options, openMigrated(options)));
}

const busyTimeoutMsDefault = 5000;

function openMigrated(options: OpenOptions): Database {
  const { path, nativeBinding, busyTimeoutMs = busyTimeoutMsDefault, probe, files } = options;
  const isFile = path !== ":memory:";
  if (isFile && files !== undefined) refuseUnfit(path, files);
  if (isFile) ensureFile(options);
  const watch = isFile && files !== undefined ? watchOf(path, files) : undefined;
  const db = openDatabase({ path, nativeBinding, busyTimeoutMs, probe, watch });
  try {
    migrate(db, migrations);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** What an open says while another process repairs the database. */
export const mendingMessage = "the database is being repaired";

// Everybody else leaves a database alone that is being repaired: a hook spools.
function refuseUnfit(path: string, files: StoreFiles): void {
  if (files.isMending(path)) {
    throw new StoreFailure({ kind: "busy", message: mendingMessage, hint: hintOf("busy") });
  }
  if (files.isLogGone(path)) files.note(path, "log-gone");
  if (!files.isEmptied(path)) return;
  files.note(path, "damaged");
  const message = "the database file is empty, its log is not";
  throw new StoreFailure({ kind: "corrupt", message, hint: hintOf("corrupt") });
}

function watchOf(path: string, files: StoreFiles): DatabaseWatch {
  const mark = files.mark(path);
  return {
    isInPlace: () => files.mark(path) === mark,
    noteDamage: () => {
      files.note(path, "damaged");
    },
  };
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

function storeOn(options: OpenOptions, opened: Database): Store {
  const { sha256, random, clock } = options;
  const db = guardIndex(opened, clock);
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
