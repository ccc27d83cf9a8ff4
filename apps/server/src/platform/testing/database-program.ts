/**
 * A server reduced to its database, for tests that kill it: starts on the folder given, prints
 * what it got as one line of JSON, and runs until SIGTERM.
 */
import { systemClock } from "../clock.ts";
import { silentLog } from "../log.ts";
import { systemRandom } from "../random.ts";
import { systemTimers } from "../timers.ts";
import { startEmbeddedPostgres } from "../embedded-postgres/embedded-postgres.ts";

const deps = { clock: systemClock, random: systemRandom, timers: systemTimers, log: silentLog };
const [dataDir = ""] = process.argv.slice(2);

async function main(): Promise<void> {
  const started = await startEmbeddedPostgres(deps, { dataDir });
  if (!started.ok) {
    process.stdout.write(`${JSON.stringify({ error: started.error })}\n`);
    return;
  }
  const { url, appUrl, adminUrl } = started.value;
  const alive = setInterval(() => {}, 60_000);
  process.once("SIGTERM", () => {
    clearInterval(alive);
    void started.value.stop();
  });
  // Only from here on is a signal answered, so only here may the test learn of it.
  process.stdout.write(`${JSON.stringify({ url, appUrl, adminUrl, uid: process.getuid?.() })}\n`);
}

void main();
