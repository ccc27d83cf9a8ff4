import type { ServerRow } from "../store/accounts-port.ts";
import type { Log } from "../platform/log.ts";
import {
  compareInstance,
  readInstanceFile,
  writeInstanceFile,
  type Instance,
} from "../platform/instance-file.ts";
import type { CommandDeps } from "./command-deps.ts";
import { UserError } from "./user-error.ts";

/** Refuses to go on when the data directory remembers another database than this one (OPS4). */
export async function guardInstance(
  deps: CommandDeps & { readonly log: Log },
  place: { readonly dataDir: string; readonly hasLostDatabase: boolean },
  server: ServerRow,
): Promise<void> {
  const database: Instance = { serverId: server.id, isClaimed: server.claimedAtMs !== undefined };
  const verdict = compareInstance(await readInstanceFile(place.dataDir), database);
  if (!verdict.ok && !place.hasLostDatabase) {
    const { kind, message, hint } = verdict.error;
    throw new UserError({ code: kind, message, hint });
  }
  if (verdict.ok && verdict.value === "agrees") return;
  await rememberInstance(deps, place.dataDir, database);
}

/** Writes down who this server is; a read-only data directory is worth a warning, not a stop. */
export async function rememberInstance(
  deps: CommandDeps & { readonly log: Log },
  dataDir: string,
  instance: Instance,
): Promise<void> {
  try {
    await writeInstanceFile(deps.random, dataDir, instance);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    deps.log.warn("instance-file-not-written", { reason });
  }
}
