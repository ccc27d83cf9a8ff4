import { randomBytes } from "node:crypto";
import { writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { unpairedNamespace } from "@tidemark/protocol";
import { systemClock } from "../../platform/clock.ts";
import { pause } from "../../platform/pause.ts";
import { systemRandom } from "../../platform/random.ts";
import { repairFiles } from "../../platform/repair-files.ts";
import { takeSyncLock } from "../../platform/sync-lock.ts";
import { systemTimers } from "../../platform/timers.ts";
import { migrate } from "../migrate.ts";
import { migrations } from "../migrations/index.ts";
import { openSound } from "../repair/open-sound.ts";
import { openDatabase } from "../sqlite.ts";
import { save } from "./damage.ts";
import { steppedDatabase } from "./migration-steps.ts";
import { testOptions } from "./test-store.ts";

/*
 * A process that opens a database as commands do, saves one observation, and says what it repaired.
 * Arguments: database, native part of SQLite, id to save. With `--die-behind` and a number in place
 * of the id it migrates the database instead and is killed behind that step.
 */

const [path = "", nativeBinding = "", id = "", step = "0"] = process.argv.slice(2);
if (id === "--die-behind") migrateAndDie(Number(step));
else openAndSave();

function openAndSave(): void {
  const lockDeps = { clock: systemClock, random: systemRandom, timers: systemTimers };
  const lock = (): { release(): void } | undefined => {
    const taken = takeSyncLock(lockDeps, join(dirname(path), "mend.lock"));
    return taken.ok ? taken.value : undefined;
  };
  const options = {
    ...testOptions(),
    path,
    nativeBinding,
    clock: systemClock,
    random: { bytes: (count: number) => randomBytes(count) },
  };
  const opened = openSound(options, { files: repairFiles, lock, pause, look: "always" });
  if (!opened.ok) throw new Error(`${opened.error.kind}: ${opened.error.message}`);
  const { store, repair } = opened.value;
  save(store, unpairedNamespace, id, { title: id });
  writeSync(1, `${JSON.stringify({ id, repair: repair ?? null })}\n`);
  store.close();
}

function migrateAndDie(behind: number): void {
  const db = openDatabase({ path, nativeBinding, busyTimeoutMs: 5_000 });
  let steps = 0;
  const stepped = steppedDatabase(db, () => {
    steps += 1;
    if (steps === behind) process.kill(process.pid, "SIGKILL");
  });
  migrate(stepped, migrations);
}
