import type { PokeMode } from "../config/settings.ts";
import { createHeadNotices, type HeadNotices } from "../platform/head-notices.ts";
import type { Log } from "../platform/log.ts";
import type { Timers } from "../platform/timers.ts";

/** How long a notice of the server's own may take to come back, in milliseconds. */
export const heardMsMax = 3_000;

/**
 * Opens the notices by which replicas tell each other of heads; undefined where heads are asked for
 * instead, as the setting says or because no notice comes through (OPS31). The server then says
 * so, for a replica that listens in vain would tell its devices of nothing.
 */
export async function openNotices(
  deps: { readonly timers: Pick<Timers, "sleep" | "every">; readonly log: Pick<Log, "warn"> },
  mode: PokeMode,
  url: string,
): Promise<HeadNotices | undefined> {
  if (mode === "poll") return undefined;
  const notices = createHeadNotices(url, deps);
  if (await isHeard(deps, notices)) return notices;
  await notices.close();
  deps.log.warn("listen-not-heard", {
    instead: "this server asks the database for new heads once a second",
    fix: "behind a pooler set TIDEMARK_POKES=poll, on every server of this database",
  });
  return undefined;
}

async function isHeard(
  deps: { readonly timers: Pick<Timers, "sleep"> },
  notices: HeadNotices,
): Promise<boolean> {
  try {
    return await notices.isHeard(deps.timers, heardMsMax);
  } catch {
    // An engine that knows no LISTEN says so by an error.
    return false;
  }
}
