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
 * where it is not there any more, at the start and each minute (AD8): who puts an older copy of the database back, or
 * writes its audit anew, cannot do so unseen. Gives what ends it, which notes the end a last time.
 *
 * What goes wrong with the file is a warning: it is a witness, and no part of what the server does.
 */
export async function keepAuditWitness(
  deps: WitnessDeps,
  dataDir: string,
): Promise<() => Promise<void>> {
  const { log } = deps;
  let last = await readAuditEnd(dataDir);
  let written = last;
  const note = async (): Promise<void> => {
    try {
      // What was told is not told again where the file cannot be written.
      last = (await endOf(deps, last)) ?? last;
      if (last === undefined || last.hash === written?.hash) return;
      await writeAuditEnd(deps.random, dataDir, last);
      written = last;
    } catch (cause) {
      log.warn("audit-end-not-written", { name: cause instanceof Error ? cause.name : "unknown" });
    }
  };
  await note();
  const stop = deps.timers.every(noteAuditEveryMs, () => {
    void note();
  });
  return async () => {
    stop();
    await Promise.race([note(), deps.timers.sleep(lastNoteMsMax)]);
  };
}

/**
 * The end of the audit where it is another than the one noted last, which is looked for first: a
 * standby that takes over, or a snapshot that is put back, does so under a server that runs.
 */
async function endOf(
  { accounts, clock, log }: WitnessDeps,
  last: AuditEnd | undefined,
): Promise<AuditEnd | undefined> {
  const end = await accounts.auditEnd();
  if (end.hash === last?.hash) return undefined;
  if (last === undefined) return end.seq === 0 ? undefined : end;
  const found = await accounts.compareAudit(last, clock.nowMs());
  if (found === "holds") return end;
  log.error("audit-set-back", { seq: last.seq, row: found });
  return await accounts.auditEnd();
}
