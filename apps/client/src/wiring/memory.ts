import type { MemoryDeps } from "../memory/deps.ts";
import { drainSpool } from "../memory/spool.ts";
import { systemClock } from "../platform/clock.ts";
import { sha256 } from "../platform/hash.ts";
import { nativeBindingFor } from "../platform/native-binding.ts";
import { createPrivateFile } from "../platform/private-file.ts";
import { programPath } from "../platform/program.ts";
import { systemRandom } from "../platform/random.ts";
import { createSpoolFile } from "../platform/spool-file.ts";
import { openStore } from "../store/open.ts";
import type { Store } from "../store/store.ts";
import { attempt, type StoreError } from "../store/store-error.ts";
import type { Home } from "./home.ts";
import { UserError } from "./user-error.ts";

/** The open database, and what the verbs of memory need around it. */
export interface Memory extends MemoryDeps {
  readonly store: Store;
}

/** Time that a start spends on captures that wait in the spool, in milliseconds. */
const drainMsMax = 500;

/**
 * Opens the database of a home and takes in what hooks could not store. Throws a {@link UserError}
 * where the database cannot be used.
 */
export function openMemory(home: Home): Memory {
  const nativeBinding = nativeBindingFor(programPath());
  const opened = openStore({
    path: home.paths.database,
    sha256,
    random: systemRandom,
    clock: systemClock,
    createPrivateFile,
    identity: home.identity(),
    nativeBinding,
    defaultNamespace: home.config.defaultNamespace,
  });
  if (!opened.ok) throw storeTrouble(opened.error);
  const memory: Memory = {
    store: opened.value,
    scrub: home.scrub,
    clock: systemClock,
    random: systemRandom,
    sha256,
  };
  const spool = createSpoolFile(systemRandom, home.paths.spool);
  const drained = attempt(() => drainSpool(memory, spool, systemClock.nowMs() + drainMsMax));
  if (!drained.ok) home.log.warn("spool-not-drained", { kind: drained.error.kind });
  return memory;
}

/** What trouble of the database says to a person. */
function storeTrouble({ kind, message, hint }: StoreError): UserError {
  return new UserError({ code: `store-${kind}`, message, hint });
}
