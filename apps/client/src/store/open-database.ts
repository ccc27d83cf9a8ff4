import type { Result, SealCipher, Sha256 } from "@tidemark/protocol";
import type { StoreContext, StoreIdentity } from "./context.ts";
import { guardSchema, migrate } from "./migrate.ts";
import { migrations } from "./migrations/index.ts";
import { isHeld, openDatabase, type Database, type DatabaseWatch, type Probe } from "./sqlite.ts";
import { StoreFailure, hintOf } from "./store-error.ts";
import { guardIndex } from "./view/search-index.ts";

/** What a store is opened with. */
export interface OpenOptions {
  /** The database file, or `:memory:`. */
  readonly path: string;
  readonly sha256: Sha256;
  readonly random: { bytes(count: number): Uint8Array };
  readonly clock: { nowMs(): number };
  /** What encrypted namespaces need; without it nothing of them opens and nothing is sent. */
  readonly cipher?: SealCipher | undefined;
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

const busyTimeoutMsDefault = 5000;

/**
 * Opens the database of a store, or makes one, with the present schema (ST1, ST3). Throws what
 * `attempt` turns into a `StoreError`.
 */
export function openStoreDatabase(options: OpenOptions): Database {
  const { path, nativeBinding, busyTimeoutMs = busyTimeoutMsDefault, probe, files } = options;
  const isFile = path !== ":memory:";
  if (isFile && files !== undefined) refuseUnfit(options, files);
  if (isFile) ensureFile(options);
  const watch = isFile && files !== undefined ? watchOf(path, files) : undefined;
  const db = openDatabase({ path, nativeBinding, busyTimeoutMs, probe, watch });
  try {
    migrate(db, migrations);
    watch?.opened();
    return guardSchema(db, migrations);
  } catch (error) {
    db.close();
    throw error;
  }
}

const logHeldMessage = "the log of the database was taken away while another program has it open";
const logHeldHint =
  "end what uses it: agents with their `tidemark mcp`, `tidemark daemon`; what the log holds is kept as they end";

/** What an open says while another process repairs the database. */
export const mendingMessage = "the database is being repaired";

/**
 * Everybody leaves a database alone that another process repairs, or whose log was taken away from
 * under a program that has it open: a hook spools. A new log would share its index with the one that
 * has no name any more, and the program would copy that one over the file as it ends (ST28).
 */
export function refuseUnfit(options: OpenOptions, files: StoreFiles): void {
  const { path } = options;
  if (files.isMending(path)) {
    throw new StoreFailure({ kind: "busy", message: mendingMessage, hint: hintOf("busy") });
  }
  if (files.isLogGone(path)) {
    files.note(path, "log-gone");
    if (files.mark(path) !== undefined && isHeld(options)) {
      throw new StoreFailure({ kind: "busy", message: logHeldMessage, hint: logHeldHint });
    }
  }
  if (!files.isEmptied(path)) return;
  files.note(path, "damaged");
  const message = "the database file is empty, its log is not";
  throw new StoreFailure({ kind: "corrupt", message, hint: hintOf("corrupt") });
}

function watchOf(path: string, files: StoreFiles): DatabaseWatch {
  const log = `${path}-wal`;
  const mark = files.mark(path);
  let logMark: string | undefined;
  return {
    opened: () => {
      logMark = files.mark(log);
    },
    place: () => {
      if (files.mark(path) !== mark) return "moved";
      const found = files.mark(log);
      logMark ??= found;
      if (found !== undefined && found === logMark) return "here";
      files.note(path, "log-gone");
      return found === undefined ? "log-gone" : "moved";
    },
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

/** What the parts of a store share, over an open database; `identity` is asked at each use. */
export function contextOn(
  db: Database,
  options: OpenOptions,
  identity: () => StoreIdentity | undefined,
): StoreContext {
  return bareContext(guardIndex(db, options.clock), options, identity);
}

/** The same, without a guard over the index: for a database that is looked at, or made. */
export function bareContext(
  db: Database,
  { sha256, random, clock, cipher }: OpenOptions,
  identity: () => StoreIdentity | undefined,
): StoreContext {
  return { db, sha256, random, clock, cipher, rings: new Map(), identity };
}
