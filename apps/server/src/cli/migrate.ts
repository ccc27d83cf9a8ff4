import type { Config } from "../config/config.ts";
import { createLog } from "../platform/log.ts";
import { version } from "../version.ts";
import type { CommandDeps } from "./command-deps.ts";
import { requireWholeEncoding } from "./database-check.ts";
import { migrateTold, tablesWaiting } from "./migrate-told.ts";
import { openDatabase } from "./open-database.ts";

/** `migrate`: brings the tables up to date and says what was done; `serve` does so by itself. */
export async function runMigrate(
  deps: CommandDeps,
  config: Config,
  options: { readonly isJson: boolean },
): Promise<void> {
  const log = createLog({ level: "error" });
  const database = await openDatabase({ ...deps, log }, config, true);
  try {
    requireWholeEncoding(database);
    const { applied, later } = await migrateTold(deps, database.ownerUrl, () => {
      deps.terminal.printError(`${tablesWaiting.message}: ${tablesWaiting.fix}\n`);
    });
    const told = options.isJson ? JSON.stringify({ applied, later }) : spelled(applied, later);
    deps.terminal.print(`${told}\n`);
  } finally {
    await database.stop();
  }
}

function spelled(applied: readonly string[], later: readonly string[]): string {
  if (later.length > 0) {
    return `A newer version than ${version} has changed the database's tables: ${later.join(", ")}. Update this server: until then it serves what it knows of them.`;
  }
  return applied.length === 0
    ? "The database's tables are up to date already."
    : `The database's tables are up to date now: ${applied.join(", ")}`;
}
