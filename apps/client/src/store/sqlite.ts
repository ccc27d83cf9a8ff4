import Sqlite from "better-sqlite3";
import { keepMade } from "./driver-made.ts";
import { StoreFailure, hintOf } from "./store-error.ts";
import { switchToWal } from "./wal.ts";

/** A value that SQLite binds. */
export type Bound = Scalar | Int8Array;

type Scalar = string | number | null;

/** Refuses a promise where a transaction expects its result: work after an `await` would be lost. */
export type Sync<T> = T extends PromiseLike<unknown> ? never : T;

/** How a database is opened. */
export interface DatabaseOptions {
  readonly path: string;
  /** Path of SQLite's native part, or what loads it. */
  readonly nativeBinding?: string | (() => object) | undefined;
  readonly busyTimeoutMs: number;
  /** See {@link Probe}. */
  readonly probe?: Probe | undefined;
  /** Looks after the file; a database without one is looked after by nobody. */
  readonly watch?: DatabaseWatch | undefined;
}

/** What a connection asks and tells about its file while it uses it (ST17). */
export interface DatabaseWatch {
  /** Told once the file and its log are open. */
  opened(): void;
  /**
   * Whether the path still leads to the file that was opened, and its log is the one in use: SQLite
   * takes a log away with the last connection alone. `log-gone` where there is none.
   */
  place(): "here" | "moved" | "log-gone";
  /** Notes that SQLite found the file damaged, for whoever may repair it. */
  noteDamage(): void;
}

/**
 * Told of each statement before it runs, of `BEGIN` and `COMMIT` before they do, and of `COMMITTED`
 * after it. What it throws happens there: so tests let a process die or a disk fill up.
 */
export type Probe = (statement: string) => void;

/** One connection. Statements are prepared when they are first used, so a hook pays for its own. */
export interface Database {
  run(sql: string, ...values: readonly Bound[]): number;
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- says what the SQL gives
  get<Row>(sql: string, ...values: readonly Bound[]): Row | undefined;
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- says what the SQL gives
  all<Row>(sql: string, ...values: readonly Bound[]): readonly Row[];
  exec(sql: string): void;
  pragma(name: string): Scalar;
  /**
   * Runs `work` in one `BEGIN IMMEDIATE` transaction, or in a savepoint of the running one (ST2).
   * Whatever it throws rolls it back. A deferred transaction that writes later fails at once,
   * without waiting, when another process wrote in between; so there is no other way in.
   */
  transact<T>(work: () => Sync<T>): T;
  /** Runs reads that belong together on one state of the database. */
  snapshot<T>(work: () => Sync<T>): T;
  close(): void;
}

/** The oldest SQLite that may open a database: older ones lose data in WAL resets (ST1). */
export const sqliteVersionMin = "3.51.3";

const journalBytesMax = 67_108_864;

/** Opens a database, sets every pragma that durability rests on, and reads each back (ST1). */
export function openDatabase(options: DatabaseOptions): Database {
  const connection = connect(options, { timeout: options.busyTimeoutMs });
  try {
    const database = wrap(connection, options);
    assertVersion(database);
    setPragmas(database, options);
    return database;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function connect(
  { path, nativeBinding }: Pick<DatabaseOptions, "path" | "nativeBinding">,
  options: Pick<Sqlite.Options, "timeout" | "fileMustExist">,
): Sqlite.Database {
  const native = typeof nativeBinding === "function" ? nativeBinding() : nativeBinding;
  return keepMade(
    new Sqlite(path, {
      ...options,
      // The driver takes the loaded addon as well, which its types do not tell.
      ...(native === undefined ? {} : { nativeBinding: native as string }),
    }),
  );
}

const busyCode = "SQLITE_BUSY";

/**
 * Whether anybody has the database open. SQLite gives a file to one connection alone where nobody
 * else has it, and then makes no shared memory, so that asking changes nothing.
 */
export function isHeld(options: Pick<DatabaseOptions, "path" | "nativeBinding">): boolean {
  const connection = connect(options, { timeout: 0, fileMustExist: true });
  try {
    connection.exec("PRAGMA locking_mode = EXCLUSIVE; SELECT count(*) FROM sqlite_schema");
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && String(error.code).startsWith(busyCode);
  } finally {
    connection.close();
  }
}

/** Whether an error says that the file is damaged, and not the search index alone. */
function isDamage(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  const code = String(error.code);
  return /^SQLITE_(?:CORRUPT|NOTADB)/.test(code) && code !== "SQLITE_CORRUPT_VTAB";
}

function wrap(
  connection: Sqlite.Database,
  { probe = noProbe, watch }: Pick<DatabaseOptions, "probe" | "watch">,
): Database {
  const watched = <T>(act: () => T): T => watchOver(connection, watch, act);
  const statements = new Map<string, Prepared>();
  const prepared = (sql: string): Prepared => {
    const known = statements.get(sql) ?? prepare(connection, sql);
    statements.set(sql, known);
    return known;
  };
  const reading = connection.transaction((work: () => unknown) => work());
  const transaction = connection.transaction((work: () => unknown) => {
    if ((watch?.place() ?? "here") !== "here") refuseMoved();
    const result = work();
    probe("COMMIT");
    return result;
  });
  return {
    run: (sql, ...values) => {
      probe(sql);
      return watched(() => {
        const { statement, bind } = prepared(sql);
        return statement.run(...bind(values)).changes;
      });
    },
    get: (sql, ...values) => {
      probe(sql);
      return watched(() => {
        const { statement, bind } = prepared(sql);
        return statement.get(...bind(values)) as never;
      });
    },
    all: (sql, ...values) => {
      probe(sql);
      return watched(() => {
        const { statement, bind } = prepared(sql);
        return statement.all(...bind(values)) as never;
      });
    },
    exec: (sql) => {
      probe(sql);
      watched(() => connection.exec(sql));
    },
    // Not by the driver's own way, which makes a statement each time.
    pragma: (name) =>
      watched(() => {
        const { statement } = prepared(`PRAGMA ${name}`);
        if (statement.reader) return (statement.pluck().get() ?? null) as Scalar;
        statement.run();
        return null;
      }),
    transact: <T>(work: () => Sync<T>) => {
      probe("BEGIN");
      const result = watched(() => transaction.immediate(work) as T);
      probe("COMMITTED");
      return result;
    },
    snapshot: <T>(work: () => Sync<T>) => watched(() => reading.deferred(work) as T),
    close: () => {
      connection.close();
    },
  };
}

function watchOver<T>(
  connection: Sqlite.Database,
  watch: DatabaseWatch | undefined,
  act: () => T,
): T {
  if (!connection.open) refuseMoved();
  try {
    return act();
  } catch (error) {
    if (isDamage(error)) watch?.noteDamage();
    // This connection still reads the log that has no name any more. The last of those that do copies
    // it into the file as it is closed; one that stayed would do so over what others write by then.
    if (isMoved(error) && watch?.place() === "log-gone") connection.close();
    throw error;
  }
}

const noProbe: Probe = () => {};

interface Prepared {
  readonly statement: Sqlite.Statement;
  readonly bind: (values: readonly Bound[]) => readonly unknown[];
}

// The driver knows `?` and `@name` but not SQLite's own `?1`, which says where a value stands twice.
function prepare(connection: Sqlite.Database, sql: string): Prepared {
  const named = sql.includes("?1") ? sql.replaceAll("?", "@p") : sql;
  const statement = keepMade(connection.prepare(named));
  if (named === sql) return { statement, bind: (values) => values };
  const bind = (values: readonly Bound[]): readonly unknown[] => [
    Object.fromEntries(values.map((value, index) => [`p${index + 1}`, value])),
  ];
  return { statement, bind };
}

function assertVersion(database: Database): void {
  const version = database.get<{ version: string }>("SELECT sqlite_version() AS version")?.version;
  if (version !== undefined && isAtLeastVersion(version, sqliteVersionMin)) return;
  throw new StoreFailure({
    kind: "native-module",
    message: `SQLite ${version ?? "?"} is too old, ${sqliteVersionMin} is needed`,
    hint: hintOf("native-module"),
  });
}

/** Whether a dotted version is not below another. */
export function isAtLeastVersion(version: string, needed: string): boolean {
  const parts = version.split(".").map(Number);
  for (const [index, part] of needed.split(".").map(Number).entries()) {
    const own = parts[index] ?? 0;
    if (own !== part) return own > part;
  }
  return true;
}

function setPragmas(database: Database, options: DatabaseOptions): void {
  const isFile = options.path !== ":memory:";
  if (isFile) switchToWal(database, options.busyTimeoutMs);
  const pragmas: readonly (readonly [name: string, value: string | number, reads: Scalar])[] = [
    ["busy_timeout", options.busyTimeoutMs, options.busyTimeoutMs],
    ["journal_mode", isFile ? "WAL" : "MEMORY", isFile ? "wal" : "memory"],
    // Set after the journal mode: in WAL the default is NORMAL, which may lose the last commits.
    ["synchronous", "FULL", 2],
    ["foreign_keys", "ON", 1],
    ["trusted_schema", "OFF", 0],
    ["secure_delete", "ON", 1],
    ["mmap_size", 0, isFile ? 0 : null],
    ["temp_store", "MEMORY", 2],
    ["journal_size_limit", journalBytesMax, journalBytesMax],
  ];
  for (const [name, value, expected] of pragmas) {
    database.pragma(`${name} = ${value}`);
    const found = database.pragma(name) ?? null;
    if (found !== expected) refusePragma(name, found);
  }
}

function isMoved(error: unknown): boolean {
  return error instanceof StoreFailure && error.error.kind === "moved";
}

// A file that lost its name still takes writes, and they are lost with the last program that has it.
function refuseMoved(): never {
  throw new StoreFailure({
    kind: "moved",
    message: "the database or its log was moved, replaced or deleted while this program used it",
    hint: hintOf("moved"),
  });
}

// A file system that cannot give WAL its shared memory is a network one, where locks lie too.
function refusePragma(name: string, found: Scalar): never {
  throw new StoreFailure({
    kind: "unsupported",
    message: `the file system or SQLite does not allow ${name}: it stays at ${found ?? "nothing"}`,
    hint: hintOf("unsupported"),
  });
}
