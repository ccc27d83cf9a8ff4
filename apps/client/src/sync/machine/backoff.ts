import { syncLimits } from "../sync-limits.ts";

/**
 * Full jitter (EN5): anywhere between nothing and the doubled step, so that devices which failed
 * together do not return together. The server's minimum is honoured, within reason.
 *
 * @param failures failures so far, this one included
 * @param jitter 0 to 1
 */
export function backoffMs(failures: number, jitter: number, serverMinimumMs = 0): number {
  const step = syncLimits.backoffBaseMs * 2 ** Math.min(Math.max(failures - 1, 0), 30);
  const drawn = Math.round(jitter * Math.min(step, syncLimits.backoffCapMs));
  return Math.max(drawn, Math.min(serverMinimumMs, syncLimits.retryAfterMsMax));
}

/** A delay around `ms`: plus or minus half. */
export function aroundMs(ms: number, jitter: number): number {
  return Math.round(ms * (0.5 + jitter));
}
