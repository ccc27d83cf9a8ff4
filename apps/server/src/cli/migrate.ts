import type { Config } from "../config/config.ts";
import { createLog } from "../platform/log.ts";
import { migrate } from "../store/postgres/migrate.ts";
import type { CommandDeps } from "./command-deps.ts";
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
    const applied = await migrate(database.ownerUrl);
    const text =
      applied.length === 0
        ? "The database's tables are up to date already."
        : `The database's tables are up to date now: ${applied.join(", ")}`;
    deps.terminal.print(options.isJson ? `${JSON.stringify({ applied })}\n` : `${text}\n`);
  } finally {
    await database.stop();
  }
}
