import type { EmbeddedPostgresDeps } from "../../apps/server/src/platform/embedded-postgres/embedded-postgres.ts";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import { createLog } from "../../apps/server/src/platform/log.ts";
import { systemRandom } from "../../apps/server/src/platform/random.ts";
import { systemTimers } from "../../apps/server/src/platform/timers.ts";

/** What the server's own parts need, where a benchmark runs them in its process. */
export function serverParts(): EmbeddedPostgresDeps {
  return {
    clock: systemClock,
    random: systemRandom,
    timers: systemTimers,
    log: createLog({ level: "error" }),
  };
}
