import fc from "fast-check";
import { expect, test } from "vitest";
import { syncLimits } from "../sync-limits.ts";
import { retryAfterOf } from "./retry-after.ts";

function afterMs(retryAfter: string, date = ""): number | undefined {
  return retryAfterOf({ headers: new Headers({ "retry-after": retryAfter, date }) });
}

test("[WR37] a date is the time from the sender's date to it, on every day of the calendar", () => {
  const dayMs = 86_400_000;
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 200 * 366 }),
      fc.integer({ min: 0, max: dayMs / 1000 }),
      fc.integer({ min: 0, max: syncLimits.retryAfterMsMax / 1000 }),
      (day, second, wait) => {
        const nowMs = Date.UTC(1970, 0, 1) + day * dayMs + second * 1000;
        const until = new Date(nowMs + wait * 1000).toUTCString();
        expect(afterMs(until, new Date(nowMs).toUTCString())).toBe(wait * 1000);
      },
    ),
    { numRuns: 500, seed: 3 },
  );
});

test("[WR37] whatever the header, the wait is bounded and nothing throws", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[ -~]{0,40}$/), fc.stringMatching(/^[ -~]{0,40}$/), (a, b) => {
      const ms = afterMs(a, b) ?? 0;
      expect(ms).toBeGreaterThanOrEqual(0);
      expect(ms).toBeLessThanOrEqual(syncLimits.retryAfterMsMax);
    }),
    { numRuns: 300, seed: 4 },
  );
});
