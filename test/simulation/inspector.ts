import { createRequire } from "node:module";
import type { Shelf } from "./shelf.ts";

type Row = Readonly<Record<string, unknown>>;

interface Statement {
  all(...values: readonly unknown[]): readonly Row[];
}

interface Reader {
  prepare(sql: string): Statement;
  close(): void;
}

const Sqlite = createRequire(
  createRequire(import.meta.url).resolve("../../apps/client/package.json"),
)("better-sqlite3") as new (
  path: string,
  options: { readonly readonly: boolean; readonly nativeBinding: object },
) => Reader;

/**
 * Looks into one database past all of the product's code. It stays open between two looks: opening a
 * database and reading its schema takes longer than any of them.
 */
export class Inspector {
  readonly #path: string;
  readonly #shelf: Shelf;
  readonly #statements = new Map<string, Statement>();
  #reader: Reader | undefined;

  constructor(path: string, shelf: Shelf) {
    this.#path = path;
    this.#shelf = shelf;
  }

  all(sql: string): readonly Row[] {
    this.#reader ??= new Sqlite(this.#path, {
      readonly: true,
      nativeBinding: this.#shelf.native,
    });
    const statement = this.#statements.get(sql) ?? this.#reader.prepare(sql);
    this.#statements.set(sql, statement);
    return statement.all();
  }

  /** Lets go of the file, which may be another one at the next look. */
  close(): void {
    this.#reader?.close();
    this.#reader = undefined;
    this.#statements.clear();
  }
}
