import fc from "fast-check";
import { expect, test } from "vitest";
import { createReplayMemory } from "./replay-memory.ts";
import { createTestClock } from "./testing/auth-deps.ts";

test("[AU7] an id is new once, for each key by itself", () => {
  const clock = createTestClock();
  const memory = createReplayMemory(clock);
  const untilMs = clock.nowMs() + 300_000;
  expect(memory.remember("a", "one", untilMs)).toBe("new");
  expect(memory.remember("a", "one", untilMs)).toBe("seen");
  expect(memory.remember("b", "one", untilMs)).toBe("new");
});

test("[AU7] ids that expired make room, ids that are valid never do (abuse 70)", () => {
  const clock = createTestClock();
  const memory = createReplayMemory(clock, { ofKey: 2, inAll: 3 });
  const untilMs = clock.nowMs() + 100_000;
  expect(memory.remember("a", "one", untilMs)).toBe("new");
  expect(memory.remember("a", "two", untilMs)).toBe("new");
  expect(memory.remember("a", "three", untilMs)).toBe("full");
  expect(memory.remember("b", "one", untilMs)).toBe("new");
  expect(memory.remember("c", "one", untilMs)).toBe("full");
  expect(memory.remember("a", "one", untilMs)).toBe("seen");
  clock.advance(100_001);
  expect(memory.remember("a", "three", untilMs + 200_000)).toBe("new");
});

test("[AU7] ids that expired make room where the clock was ahead and is set back", () => {
  const clock = createTestClock();
  clock.advance(7_200_000);
  const memory = createReplayMemory(clock, { ofKey: 1, inAll: 1 });
  clock.advance(-7_200_000);
  expect(memory.remember("a", "one", clock.nowMs() + 1_000)).toBe("new");
  expect(memory.remember("a", "two", clock.nowMs() + 1_000)).toBe("full");
  clock.advance(60_001);
  expect(memory.remember("a", "two", clock.nowMs() + 1_000)).toBe("new");
});

test("[AU7] no order of arrivals and waits lets a valid id in twice (abuse 70)", () => {
  const step = fc.record({
    key: fc.constantFrom("a", "b"),
    jti: fc.integer({ min: 0, max: 6 }).map(String),
    lifeMs: fc.integer({ min: 1, max: 200_000 }),
    waitMs: fc.integer({ min: 0, max: 80_000 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const clock = createTestClock();
      const memory = createReplayMemory(clock, { ofKey: 4, inAll: 6 });
      const validUntilMs = new Map<string, number>();
      for (const { key, jti, lifeMs, waitMs } of steps) {
        clock.advance(waitMs);
        const untilMs = clock.nowMs() + lifeMs;
        const name = `${key} ${jti}`;
        const isValid = (validUntilMs.get(name) ?? 0) >= clock.nowMs();
        const answer = memory.remember(key, jti, untilMs);
        if (isValid) expect(answer).toBe("seen");
        if (answer === "new") validUntilMs.set(name, untilMs);
      }
    }),
    { seed: 7, numRuns: 200 },
  );
});
