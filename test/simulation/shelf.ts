import { createRequire } from "node:module";
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { KeptConnection, nativePart, type Opening } from "./kept-connection.ts";

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
  readonly native: object = nativePart((opening) => this.#taken.get(opening[0])?.connect(opening));

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
    const free = this.#connections.find((each) => !each.open && each.isLike(opening));
    if (free !== undefined) return free.reopened();
    const made = new KeptConnection(opening);
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
