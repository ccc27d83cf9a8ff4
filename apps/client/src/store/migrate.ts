import type { Database, Sync } from "./sqlite.ts";
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

/**
 * The database as it takes writes for as long as its schema is the one of this program (ST4): an agent
 * or daemon goes on while its program is updated, and would leave behind what it does not know of.
 */
export function guardSchema(database: Database, migrations: readonly Migration[]): Database {
  return {
    ...database,
    transact: <T>(work: () => Sync<T>) =>
      database.transact<T>(() => {
        const version = versionOf(database);
        if (version > migrations.length) refuseNewer(version, migrations.length, outgrownHint);
        return work();
      }),
  };
}

const outgrownHint = "a newer tidemark has changed the database: start this program again";

function versionOf(database: Database): number {
  const version = Number(database.pragma("user_version"));
  if (version >= 0) return version;
  // No program writes one below zero.
  const message = `the database has schema ${version}`;
  throw new StoreFailure({ kind: "corrupt", message, hint: hintOf("corrupt") });
}

function refuseNewer(version: number, known: number, hint = hintOf("newer-database")): never {
  throw new StoreFailure({
    kind: "newer-database",
    message: `the database has schema ${version}, this program knows ${known}`,
    hint,
  });
}
