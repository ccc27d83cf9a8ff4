import fc from "fast-check";
import { expect, test } from "vitest";
import { ageText, halfLifeDays, scoreOf } from "./score.ts";
import { hourMs, testNowMs, testObservation } from "./testing/observations.ts";

const dayMs = 24 * hourMs;

test("[RC3] what prevents a mistake outranks what was merely done", () => {
  const [decision, change] = ["decision", "change"].map(
    (kind) => scoreOf(testObservation("a", { kind }), testNowMs).value,
  );
  expect(decision).toBeGreaterThan(change ?? 0);
});

test("[RC3] a pinned observation outranks every other, however old", () => {
  const pinned = testObservation("a", { pinned: true, kind: "request", createdAt: 0 });
  const best = testObservation("b", { kind: "decision", createdAt: testNowMs });
  expect(scoreOf(pinned, testNowMs).value).toBeGreaterThan(scoreOf(best, testNowMs).value);
});

test("[RC3] a half-life takes half of what recency adds", () => {
  const at = (days: number) =>
    scoreOf(testObservation("a", { createdAt: testNowMs - days * dayMs }), testNowMs).value;
  const stays = 0.3 * at(0);
  expect(at(halfLifeDays) - stays).toBeCloseTo((at(0) - stays) / 2);
});

test("[RC3] a record from the future counts as new and no more", () => {
  const future = scoreOf(testObservation("a", { createdAt: testNowMs + 400 * dayMs }), testNowMs);
  expect(future.value).toBe(
    scoreOf(testObservation("a", { createdAt: testNowMs }), testNowMs).value,
  );
});

test("[RC3] the reason names what the score was made of", () => {
  const { why } = scoreOf(testObservation("a", { pinned: true, kind: "fix" }), testNowMs, 0.5);
  expect(why).toBe("pinned, fix ×0.95, quality 0.60, 60m old, match 0.50".replace("60m", "1h"));
});

test("[RC3] a better match never scores lower", () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (match) => {
      const observation = testObservation("a");
      const full = scoreOf(observation, testNowMs, 1).value;
      expect(scoreOf(observation, testNowMs, match).value).toBeLessThanOrEqual(full);
    }),
    { numRuns: 200, seed: 20261121 },
  );
});

test.each([
  [0, "0m"],
  [-5, "0m"],
  [59 * 60_000, "59m"],
  [47 * hourMs, "47h"],
  [72 * hourMs, "3d"],
])("[RC3] an age of %d ms reads %s", (ms, text) => {
  expect(ageText(ms)).toBe(text);
});

test.each([-62_135_596_800_000, 253_402_300_799_999, testNowMs + 11 * 60_000])(
  "[CP69] a time of %d counts as new at most, and its age is unknown (abuse 121)",
  (createdAt) => {
    const odd = scoreOf(testObservation("a", { createdAt }), testNowMs);
    const fresh = scoreOf(testObservation("b", { createdAt: testNowMs }), testNowMs);
    expect(odd.value).toBeLessThanOrEqual(fresh.value);
    expect(odd.why).toContain("age unknown");
  },
);
