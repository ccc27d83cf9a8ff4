import type { Log } from "../platform/log.ts";
import { readAuditEnd, writeAuditEnd, type AuditEnd } from "../platform/audit-end-file.ts";
import type { AuditStore } from "../store/audit-port.ts";
import type { CommandDeps } from "./command-deps.ts";

/** How often the end of the audit is written down, in milliseconds. */
export const noteAuditEveryMs = 60_000;

/** How long a stopping server waits for a database that may be away, in milliseconds. */
const lastNoteMsMax = 1_000;

interface WitnessDeps extends Pick<CommandDeps, "clock" | "random" | "timers"> {
  readonly log: Pick<Log, "warn" | "error">;
  readonly accounts: Pick<AuditStore, "auditEnd" | "compareAudit">;
}

/**
 * Keeps the last row of the audit outside of the database, in the data directory, and tells the audit
 * at the start where it is not there any more (AD8): who puts an older copy of the database back, or
 * writes its audit anew, cannot do so unseen. Gives what ends it, which notes the end a last time.
 *
 * What goes wrong with the file is a warning: it is a witness, and no part of what the server does.
 */
export async function keepAuditWitness(
  deps: WitnessDeps,
  dataDir: string,
): Promise<() => Promise<void>> {
  const { accounts, clock, log } = deps;
  let last: AuditEnd | undefined;
  const note = async (): Promise<void> => {
    try {
      const end = await accounts.auditEnd();
      if (end.seq === 0 || end.hash === last?.hash) return;
      await writeAuditEnd(deps.random, dataDir, end);
      last = end;
    } catch (cause) {
      log.warn("audit-end-not-written", { name: cause instanceof Error ? cause.name : "unknown" });
    }
  };
  const known = await readAuditEnd(dataDir);
  const found = known === undefined ? "holds" : await accounts.compareAudit(known, clock.nowMs());
  if (known !== undefined && found !== "holds") {
    log.error("audit-set-back", { seq: known.seq, row: found });
  }
  await note();
  const stop = deps.timers.every(noteAuditEveryMs, () => {
    void note();
  });
  return async () => {
    stop();
    await Promise.race([note(), deps.timers.sleep(lastNoteMsMax)]);
  };
}
