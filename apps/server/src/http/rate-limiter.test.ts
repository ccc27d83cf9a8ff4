import { expect, test } from "vitest";
import { createTestClock } from "../auth/testing/auth-deps.ts";
import { createRateLimiter } from "./rate-limiter.ts";

test("[AU12] a bucket gives its fill at once, then a token as it drips", () => {
  const clock = createTestClock();
  const limiter = createRateLimiter(clock);
  for (let at = 0; at < 6; at += 1) expect(limiter.take("a", 6)).toBe(0);
  expect(limiter.take("a", 6)).toBe(10_000);
  expect(limiter.take("b", 6)).toBe(0);
  clock.advance(9_999);
  expect(limiter.take("a", 6)).toBeGreaterThan(0);
  clock.advance(1);
  expect(limiter.take("a", 6)).toBe(0);
  clock.advance(3_600_000);
  for (let at = 0; at < 6; at += 1) expect(limiter.take("a", 6)).toBe(0);
  expect(limiter.take("a", 6)).toBeGreaterThan(0);
});

test("[AU12] made-up keys do not fill the memory, nor does a clock set back give tokens", () => {
  const clock = createTestClock();
  const limiter = createRateLimiter(clock);
  for (let at = 0; at < 50_000; at += 1) limiter.take(`made up ${at}`, 1);
  expect(limiter.take("made up 49999", 1)).toBeGreaterThan(0);
  expect(limiter.take("made up 0", 1)).toBe(0);
  clock.advance(-3_600_000);
  expect(limiter.take("made up 49999", 1)).toBeGreaterThan(0);
});
