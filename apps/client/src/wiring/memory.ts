import type { MemoryDeps } from "../memory/deps.ts";
import { drainSpool } from "../memory/spool.ts";
import { systemClock } from "../platform/clock.ts";
import { sha256 } from "../platform/hash.ts";
import { nativeBindingFor } from "../platform/native-binding.ts";
import { createPrivateFile } from "../platform/private-file.ts";
import { programPath } from "../platform/program.ts";
import { systemRandom } from "../platform/random.ts";
import { sealCipher } from "../platform/seal-cipher.ts";
import { createSpoolFile } from "../platform/spool-file.ts";
import { endable } from "../platform/stop-signals.ts";
import { repairFiles } from "../platform/repair-files.ts";
import { pause } from "../platform/pause.ts";
import { openSound, type SoundParts } from "../store/repair/open-sound.ts";
import type { RepairReport } from "../store/repair/report.ts";
import type { Store } from "../store/store.ts";
import { attempt, type StoreError } from "../store/store-error.ts";
import { canScrub } from "./can-scrub.ts";
import type { Home } from "./home.ts";
import { takeMendLock } from "./mend-lock.ts";
import { UserError } from "./user-error.ts";

/** The open database, and what the verbs of memory need around it. */
export interface Memory extends MemoryDeps {
  readonly store: Store;
  /** What was done just now because the database was damaged. */
  readonly repair?: RepairReport;
  /** Whether captures wait in the spool, which a hook could not store. */
  readonly hasSpooled: () => boolean;
  /** Takes them in, for no longer than so many milliseconds; gives how many. */
  readonly takeSpooled: (msMax: number) => number;
}

/** Time that a start spends on captures that wait in the spool, in milliseconds. */
const drainMsMax = 500;

type Look = Partial<Pick<SoundParts, "look" | "onDueCheck">>;

/**
 * Opens the database of a home, repairs it where it is damaged (ST14), and takes in what hooks could
 * not store. Throws a {@link UserError} where the database cannot be used. A signal ends the program
 * meanwhile (CL73): all of it may take a while, and may be broken off as by a power cut.
 */
export function openMemory(home: Home, look: Look = {}): Memory {
  return endable(() => openAll(home, look));
}

function openAll(home: Home, { look = "when-due", onDueCheck }: Look): Memory {
  const nativeBinding = nativeBindingFor(programPath());
  const options = {
    path: home.paths.database,
    sha256,
    random: systemRandom,
    clock: systemClock,
    cipher: sealCipher,
    createPrivateFile,
    identity: home.identity(),
    nativeBinding,
    defaultNamespace: home.config.defaultNamespace,
  };
  const lock = (): ReturnType<SoundParts["lock"]> => takeMendLock(home.paths);
  const sound = openSound(options, { files: repairFiles, lock, pause, look, onDueCheck });
  if (!sound.ok) throw storeTrouble(sound.error);
  const { store, repair } = sound.value;
  if (repair !== undefined) home.log.warn("database-repaired", { kind: repair.kind });
  const deps = { store, scrub: home.scrub, clock: systemClock, random: systemRandom, sha256 };
  const spool = createSpoolFile(systemRandom, home.paths.spool);
  const memory: Memory = {
    ...deps,
    ...(repair === undefined ? {} : { repair }),
    hasSpooled: () => spool.hasLines(),
    takeSpooled: (msMax) => {
      // What waits there is scrubbed once more, and waits on where nothing can be scrubbed.
      const taken = attempt(() => {
        if (!canScrub(home)) return 0;
        const untilMs = systemClock.nowMs() + msMax;
        const { drained, unreadable, cutBy } = drainSpool(deps, spool, untilMs, msMax);
        if (typeof cutBy === "object") home.log.warn("spool-not-drained", { kind: cutBy.kind });
        return drained + unreadable;
      });
      if (taken.ok) return taken.value;
      home.log.warn("spool-not-drained", { kind: taken.error.kind });
      return 0;
    },
  };
  memory.takeSpooled(drainMsMax);
  // What a hook found of it, it only noted: an index that is built anew takes longer than it may.
  const searched = attempt(() => store.upkeep.repairSearch());
  if (!searched.ok) home.log.warn("search-not-rebuilt", { kind: searched.error.kind });
  const opened = attempt(() => store.upkeep.openAnew());
  if (!opened.ok) home.log.warn("sealed-not-opened-anew", { kind: opened.error.kind });
  return memory;
}

/** What trouble of the database says to a person. */
function storeTrouble({ kind, message, hint }: StoreError): UserError {
  return new UserError({ code: `store-${kind}`, message, hint });
}
