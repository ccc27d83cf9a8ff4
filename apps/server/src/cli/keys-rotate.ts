import { rotateSigningKeys } from "../auth/signing-keys.ts";
import type { Config } from "../config/config.ts";
import { createLog } from "../platform/log.ts";
import type { CommandDeps } from "./command-deps.ts";
import { openDatabase, openStore } from "./open-database.ts";

/** `keys rotate`: a new key signs access tokens; running servers take it up within a minute. */
export async function runKeysRotate(
  deps: CommandDeps,
  config: Config,
  options: { readonly isJson: boolean },
): Promise<void> {
  const log = createLog({ level: "error" });
  const database = await openDatabase({ ...deps, log }, config, true);
  try {
    const store = await openStore(deps, database);
    try {
      const { clock, random } = deps;
      const { kid } = await rotateSigningKeys({ clock, random, accounts: store.accounts });
      deps.terminal.print(
        options.isJson ? `${JSON.stringify({ kid })}\n` : `New signing key: ${kid}\n`,
      );
    } finally {
      await store.close();
    }
  } finally {
    await database.stop();
  }
}
