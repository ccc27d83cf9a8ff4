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

const now = "Fri, 31 Jan 2025 10:00:00 GMT";

test.each<readonly [string, string, number | undefined]>([
  ["0", "", 0],
  ["90", "", 90_000],
  [" 90 ", "", 90_000],
  ["3600", "", 3_600_000],
  ["3601", "", 3_600_000],
  ["-5", "", undefined],
  ["1.5", "", undefined],
  ["90s", "", undefined],
  ["", now, undefined],
  ["Fri, 31 Jan 2025 10:00:05 GMT", now, 5_000],
  ["Fri, 31 Jan 2025 10:00:60 GMT", now, 60_000],
  ["Fri, 31 Jan 2025 09:00:00 GMT", now, 0],
  ["Fri, 31 Jan 2025 23:59:59 GMT", now, 3_600_000],
  ["Fri, 31 Jan 2025 10:00:05 GMT", "", undefined],
  ["Fri, 31 Jan 2025 10:00:05 GMT", "today", undefined],
  ["x Fri, 31 Jan 2025 10:00:05 GMT", now, undefined],
  ["Fri, 31 Jan 2025 10:00:05 GMT x", now, undefined],
  ["Fri, 32 Jan 2025 10:00:05 GMT", now, undefined],
  ["Fri, 31 Jam 2025 10:00:05 GMT", now, undefined],
  ["Fri, 31 Jan 25 10:00:05 GMT", now, undefined],
  ["Fri, 31 Jan 2025 24:00:05 GMT", now, undefined],
  ["Fri, 31 Jan 2025 10:60:05 GMT", now, undefined],
  ["Fri, 31 Jan 2025 10:00:61 GMT", now, undefined],
  ["Fri, 31 Jan 2025 10:00:05 CET", now, undefined],
])("[WR37] retry-after %j at %j", (retryAfter, date, expected) => {
  expect(afterMs(retryAfter, date)).toBe(expected);
});

test("[WR37] an answer without the header, or with a date alone, wishes nothing", () => {
  expect(retryAfterOf({ headers: new Headers() })).toBeUndefined();
  expect(retryAfterOf({ headers: new Headers({ date: now }) })).toBeUndefined();
  const headers = new Headers({ "retry-after": "Fri, 31 Jan 2025 10:00:05 GMT" });
  expect(retryAfterOf({ headers })).toBeUndefined();
});

const monthEnds = [
  "31 Jan",
  "31 Mar",
  "30 Apr",
  "31 May",
  "30 Jun",
  "31 Jul",
  "31 Aug",
  "30 Sep",
  "31 Oct",
  "30 Nov",
  "31 Dec",
];
const leapDays = ["28 Feb 2023", "28 Feb 2024", "29 Feb 2024", "29 Feb 2000", "28 Feb 2100"];

test.each([...monthEnds.map((day) => `${day} 2025`), ...leapDays])(
  "[WR37] the second after %s 23:59:59 is one second later",
  (day) => {
    const lastMs = Date.parse(`${day} 23:59:59 GMT`);
    const last = new Date(lastMs).toUTCString();
    const next = new Date(lastMs + 1_000).toUTCString();
    expect(last).toContain(day);
    expect(afterMs(next, last)).toBe(1_000);
  },
);
