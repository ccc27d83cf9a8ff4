import type { Database } from "./sqlite.ts";
import { StoreFailure, hintOf } from "./store-error.ts";

/** One step of the schema. */
export interface Migration {
  readonly id: string;
  readonly sql: string;
}

/**
 * Brings a database to the schema of this program (ST3). Each migration and its `user_version` are
 * one IMMEDIATE transaction that looks at the version again, so two processes may do this at once
 * and a kill leaves a whole number of migrations. A newer database is refused untouched (ST4).
 */
export function migrate(database: Database, migrations: readonly Migration[]): void {
  let version = versionOf(database);
  if (version > migrations.length) refuseNewer(version, migrations.length);
  while (version < migrations.length) version = stepFrom(database, migrations);
}

function stepFrom(database: Database, migrations: readonly Migration[]): number {
  return database.transact(() => {
    const version = versionOf(database);
    const next = migrations[version];
    if (next === undefined) {
      if (version > migrations.length) refuseNewer(version, migrations.length);
      return version;
    }
    database.exec(next.sql);
    database.pragma(`user_version = ${version + 1}`);
    return version + 1;
  });
}

function versionOf(database: Database): number {
  const version = Number(database.pragma("user_version"));
  if (version >= 0) return version;
  // No program writes one below zero.
  const message = `the database has schema ${version}`;
  throw new StoreFailure({ kind: "corrupt", message, hint: hintOf("corrupt") });
}

function refuseNewer(version: number, known: number): never {
  throw new StoreFailure({
    kind: "newer-database",
    message: `the database has schema ${version}, this program knows ${known}`,
    hint: hintOf("newer-database"),
  });
}
