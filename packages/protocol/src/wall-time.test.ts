import { expect, test } from "vitest";
import { isCredibleTime, wallTimeAheadMsMax } from "./wall-time.ts";

const nowMs = 1_790_000_000_000;

test.each([
  ["now", nowMs, true],
  ["1970", 0, true],
  ["ten minutes ahead", nowMs + wallTimeAheadMsMax, true],
  ["eleven minutes ahead", nowMs + 11 * 60_000, false],
  ["the year 0001", -62_135_596_800_000, false],
  ["the year 9999", 253_402_300_799_999, false],
  ["no number", Number.NaN, false],
  ["no whole number", 1.5, false],
  ["no end", Number.POSITIVE_INFINITY, false],
])("[CP68] %s is believed or not (abuse 121)", (_, ms, isBelieved) => {
  expect(isCredibleTime(ms, nowMs)).toBe(isBelieved);
});
