import type { Result } from "@tidemark/protocol";
import { createKeyVault, type KeyVault } from "../auth/key-vault.ts";
import type { Config } from "../config/config.ts";
import { isErrno } from "../platform/files.ts";
import { sha256 } from "../platform/hash.ts";
import type { Log } from "../platform/log.ts";
import {
  masterKeyPath,
  readMasterKey,
  readOrMakeMasterKey,
  readOwnMasterKey,
  type MasterKeyError,
} from "../platform/master-key.ts";
import type { CommandDeps } from "./command-deps.ts";
import { UserError } from "./user-error.ts";

/** The vault of a server that starts; a data directory gets its master key here (OPS71). */
export async function openVault(
  deps: CommandDeps & { readonly log: Log },
  config: Config,
): Promise<KeyVault> {
  const { masterKeyFile, dataDir } = config;
  if (masterKeyFile !== undefined) return vaultOf(await readMasterKey(masterKeyFile));
  try {
    return vaultOf(await readOrMakeMasterKey(deps.random, dataDir));
  } catch (cause) {
    // With a database elsewhere a server runs without a folder of its own.
    if (!isErrno(cause, "EACCES", "EROFS", "EPERM")) throw cause;
    deps.log.warn("master-key-not-kept", { path: masterKeyPath(dataDir) });
    return createKeyVault({ sha256 }, deps.random.bytes(32));
  }
}

/** The vault of a server that has run already: another master key would be of no use to it. */
export async function openKnownVault(config: Config): Promise<KeyVault> {
  const { masterKeyFile, dataDir } = config;
  const isNamed = masterKeyFile !== undefined;
  return vaultOf(await (isNamed ? readMasterKey(masterKeyFile) : readOwnMasterKey(dataDir)));
}

function vaultOf(key: Result<Uint8Array, MasterKeyError>): KeyVault {
  if (key.ok) return createKeyVault({ sha256 }, key.value);
  const { kind: code, message, hint } = key.error;
  throw new UserError({ code, message, hint });
}
