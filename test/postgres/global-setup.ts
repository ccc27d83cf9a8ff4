import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import { lockDataDir } from "../../apps/server/src/platform/data-dir-lock.ts";
import { startEmbeddedPostgres } from "../../apps/server/src/platform/embedded-postgres/embedded-postgres.ts";
import { foldersOf } from "../../apps/server/src/platform/embedded-postgres/folders.ts";
import { stopOrphan } from "../../apps/server/src/platform/embedded-postgres/orphan.ts";
import { createLog } from "../../apps/server/src/platform/log.ts";
import { systemRandom } from "../../apps/server/src/platform/random.ts";
import { systemTimers } from "../../apps/server/src/platform/timers.ts";

const folderPrefix = "tidemark-test-";
/** A folder without a server is left alone for this long: its run may be about to start one. */
const abandonedMsMin = 600_000;

const deps = {
  clock: systemClock,
  random: systemRandom,
  timers: systemTimers,
  log: createLog({ level: "error" }),
};

/**
 * One PostgreSQL for all `*.pg.test.ts`: that of `TIDEMARK_TEST_DATABASE_URL` (a superuser's
 * string), else an embedded one in a temporary folder.
 *
 * It listens on loopback, so that any driver opens its address, and skips fsync, for nothing here
 * outlives the run. Tests of durability start their own.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env["TIDEMARK_TEST_DATABASE_URL"];
  if (given !== undefined && given !== "") {
    project.provide("postgresUrl", given);
    return async () => {};
  }
  await sweepAbandoned();
  const dataDir = await mkdtemp(join(tmpdir(), folderPrefix));
  const removeFolder = async (): Promise<void> => {
    await rm(dataDir, { recursive: true, force: true });
  };
  const settings = { fsync: "off", full_page_writes: "off", max_connections: "200" };
  const started = await startEmbeddedPostgres(deps, { dataDir, listen: "loopback", settings });
  if (!started.ok) {
    await removeFolder();
    throw new Error(`${started.error.message} (${started.error.hint})`);
  }
  project.provide("postgresUrl", started.value.adminUrl);
  return async () => {
    try {
      await started.value.stop();
    } finally {
      await removeFolder();
    }
  };
}

/** Clears away what earlier runs that were killed left behind, their PostgreSQL included. */
async function sweepAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(folderPrefix)) continue;
    const dataDir = join(tmpdir(), name);
    const found = await stat(dataDir).catch(() => undefined);
    if (found === undefined || Date.now() - found.mtimeMs < abandonedMsMin) continue;
    const lock = await lockDataDir(deps, dataDir);
    if (!lock.ok) continue;
    await stopOrphan(deps, foldersOf(dataDir).cluster);
    await lock.value.release();
    await rm(dataDir, { recursive: true, force: true });
  }
}
