import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { copyFileSync, rmSync } from "node:fs";

/** One open connection, as the driver's native part has it. */
interface Native {
  readonly open: boolean;
  readonly inTransaction: boolean;
  prepare(sql: string, owner: object, isPragma: boolean): object;
  exec(sql: string): void;
  close(): void;
}

/** What the driver opens a connection with; the first is the path, the fourth whether it only reads. */
type Opening = readonly [path: string, given: string, anonymous: boolean, readonly: boolean];

/** What the store does with a setting. */
interface Statement {
  readonly reader: boolean;
  pluck(): Statement;
  get(): unknown;
  run(): unknown;
}

interface Addon {
  readonly Database: new (...opening: Opening) => Native;
}

interface Connection {
  prepare(sql: string): { run(): unknown; all(): readonly unknown[] };
  exec(sql: string): void;
  unsafeMode(isOn: boolean): void;
  close(): void;
}

const ofClient = createRequire(
  createRequire(import.meta.url).resolve("../../apps/client/package.json"),
);
const Sqlite = ofClient("better-sqlite3") as new (path: string) => Connection;
const driver = ofClient.resolve("better-sqlite3");
const addon = ofClient(join(dirname(driver), "../build/Release/better_sqlite3.node")) as Addon;

/**
 * Databases that outlive the world that used them. Opening one, reading its schema and compiling its
 * statements is a seventh of what a world costs. So what a process lets go of is kept open for the
 * next one, and a database whose world is over is emptied, for another one.
 */
export class Shelf {
  readonly #folder: string;
  readonly #template: string;
  /** Those in use, by their paths. */
  readonly #taken = new Map<string, Kept>();
  readonly #free: Kept[] = [];
  /** Paths of this world whose files go with it. */
  readonly #loose = new Set<string>();
  #made = 0;

  /** `template` is what an empty database is copied from. */
  constructor(folder: string, template: string) {
    this.#folder = folder;
    this.#template = template;
  }

  /** What the driver takes as its native part, so that it finds what is open already. */
  readonly native: object = {
    ...addon,
    Database: connector((opening) => this.#taken.get(opening[0])?.connect(opening)),
  };

  /** The path of an empty, migrated database that nobody uses. */
  take(): string {
    const kept = this.#free.pop() ?? this.#make();
    this.#taken.set(kept.path, kept);
    return kept.path;
  }

  /** A path where nothing is, until this world is over. */
  newPath(): string {
    this.#made += 1;
    const path = join(this.#folder, `${this.#made}.db`);
    this.#loose.add(path);
    return path;
  }

  /** Closes a database for good: another file will stand in its place. */
  letGo(path: string): void {
    this.#taken.get(path)?.close();
    this.#taken.delete(path);
    this.#loose.add(path);
  }

  /** Makes everything ready for the next world. */
  clear(): void {
    for (const [path, kept] of this.#taken) {
      if (kept.empty()) this.#free.push(kept);
      else this.letGo(path);
    }
    this.#taken.clear();
    for (const path of this.#loose) {
      for (const side of ["", "-wal", "-shm"]) rmSync(path + side, { force: true });
    }
    this.#loose.clear();
  }

  #make(): Kept {
    const path = this.newPath();
    this.#loose.delete(path);
    copyFileSync(this.#template, path);
    return new Kept(path, this.#template);
  }
}

/** The native class whose connections may be open already. */
function connector(connect: (opening: Opening) => object | undefined): object {
  return new Proxy(addon.Database, {
    construct: (Native, opening: [...Opening]) => connect(opening) ?? new Native(...opening),
  });
}

/** One database, and the connections to it. */
class Kept {
  readonly path: string;
  readonly #connections: KeptConnection[] = [];
  readonly #cleaner: Connection;
  readonly #schema: number;
  readonly #emptying: readonly { run(): unknown }[];

  constructor(path: string, template: string) {
    this.path = path;
    this.#cleaner = new Sqlite(path);
    this.#cleaner.unsafeMode(true);
    this.#cleaner.exec("PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF");
    this.#cleaner.exec(`ATTACH '${template}' AS template`);
    this.#schema = this.#schemaVersion();
    this.#emptying = emptying(this.#cleaner);
  }

  connect(opening: Opening): object {
    const isReader = opening[3];
    const free = this.#connections.find((each) => !each.open && each.isReader === isReader);
    if (free !== undefined) return free.reopened();
    const made = new KeptConnection(new addon.Database(...opening), isReader);
    this.#connections.push(made);
    return made;
  }

  /** Ends whatever has it open and makes it what its template is; false where that cannot be. */
  empty(): boolean {
    for (const each of this.#connections) each.close();
    // An index that was made anew is another table, and whatever was compiled for it is void.
    if (this.#schemaVersion() !== this.#schema) return false;
    for (const statement of this.#emptying) statement.run();
    return true;
  }

  close(): void {
    for (const each of this.#connections) each.end();
    this.#cleaner.close();
  }

  #schemaVersion(): number {
    const [row] = this.#cleaner.prepare("PRAGMA main.schema_version").all();
    return (row as { readonly schema_version: number }).schema_version;
  }
}

/** What makes all tables what the template's are, those behind the search index included. */
function emptying(db: Connection): readonly { run(): unknown }[] {
  const names = (sql: string): readonly string[] =>
    (db.prepare(sql).all() as readonly { readonly name: string }[]).map(({ name }) => name);
  const tables = names(
    `SELECT name FROM pragma_table_list
     WHERE schema = 'main' AND type IN ('table', 'shadow') AND name <> 'sqlite_schema'`,
  );
  const changes = tables.flatMap((table) => {
    const columns = names(`SELECT name FROM pragma_table_info('${table}', 'main')`).join(", ");
    const isFilled = db.prepare(`SELECT 1 FROM template.${table} LIMIT 1`).all().length > 0;
    const copy = `INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM template.${table}`;
    return [`DELETE FROM main.${table}`, ...(isFilled ? [copy] : [])];
  });
  return ["BEGIN IMMEDIATE", ...changes, "COMMIT"].map((sql) => db.prepare(sql));
}

const settingPattern = /^PRAGMA \w+ = /;

/**
 * A setting, in force since it was said: said again it would have all be compiled anew, for it may
 * change what statements mean.
 */
function saidOnce({ reader }: Statement): Statement {
  const said: Statement = { reader, pluck: () => said, get: () => null, run: () => null };
  return said;
}

/** A connection that is only put aside when a process closes it, with all that it has compiled. */
class KeptConnection {
  readonly isReader: boolean;
  readonly #native: Native;
  readonly #statements = new Map<string, object>();
  #isOpen = true;

  constructor(native: Native, isReader: boolean) {
    this.#native = native;
    this.isReader = isReader;
  }

  get open(): boolean {
    return this.#isOpen && this.#native.open;
  }

  get inTransaction(): boolean {
    return this.#native.inTransaction;
  }

  reopened(): this {
    this.#isOpen = true;
    return this;
  }

  prepare(sql: string, owner: object, isPragma: boolean): object {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const made = this.#native.prepare(sql, owner, isPragma);
    this.#statements.set(sql, settingPattern.test(sql) ? saidOnce(made as Statement) : made);
    return made;
  }

  exec(sql: string): void {
    this.#native.exec(sql);
  }

  /** Whoever ends in a transaction is thrown out of it, which undoes it. */
  close(): void {
    if (this.#isOpen && this.#native.inTransaction) throw new Error("closed in a transaction");
    this.#isOpen = false;
  }

  /** Closes it indeed. */
  end(): void {
    this.#native.close();
  }
}
