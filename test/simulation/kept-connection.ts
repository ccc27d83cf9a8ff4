import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** One open connection, as the driver's native part has it. */
interface Native {
  readonly open: boolean;
  readonly inTransaction: boolean;
  prepare(sql: string, owner: object, isPragma: boolean): object;
  exec(sql: string): void;
  close(): void;
}

/** What the driver opens a connection with; the first is the path, the fourth whether it only reads. */
export type Opening = readonly [path: string, given: string, anonymous: boolean, readonly: boolean];

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

const ofClient = createRequire(
  createRequire(import.meta.url).resolve("../../apps/client/package.json"),
);
const driver = ofClient.resolve("better-sqlite3");
const addon = ofClient(join(dirname(driver), "../build/Release/better_sqlite3.node")) as Addon;

/** The driver's native part, whose connections may be open already: `connect` gives one that is. */
export function nativePart(connect: (opening: Opening) => object | undefined): object {
  const Database = new Proxy(addon.Database, {
    construct: (Native, opening: [...Opening]) => connect(opening) ?? new Native(...opening),
  });
  return { ...addon, Database };
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
export class KeptConnection {
  readonly #isReader: boolean;
  readonly #native: Native;
  readonly #statements = new Map<string, object>();
  #isOpen = true;

  constructor(opening: Opening) {
    this.#native = new addon.Database(...opening);
    this.#isReader = opening[3];
  }

  /** Whether it is what would be opened so. */
  isLike(opening: Opening): boolean {
    return this.#isReader === opening[3];
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
