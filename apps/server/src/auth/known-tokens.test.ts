import { expect, test } from "vitest";
import { createKnownTokens } from "./known-tokens.ts";
import { createAuthDeps, createTestClock } from "./testing/auth-deps.ts";

test("[AU25] of more tokens than there is room for the oldest is looked through again", () => {
  const clock = createTestClock();
  const tokens = createKnownTokens<string>(createAuthDeps(clock), 3);
  const known = (holder: string) => ({ holder, key: {}, untilMs: clock.nowMs() + 1000 });
  for (const name of ["a", "b", "c", "d"]) tokens.remember(name, known(name));
  expect(["a", "b", "c", "d"].map((name) => tokens.find(name)?.holder)).toEqual([
    undefined,
    "b",
    "c",
    "d",
  ]);
});

test("[AU25] a token that is too old leaves when it is asked for", () => {
  const clock = createTestClock();
  const tokens = createKnownTokens<string>(createAuthDeps(clock), 3);
  tokens.remember("a", { holder: "a", key: {}, untilMs: clock.nowMs() + 10 });
  clock.advance(9);
  expect(tokens.find("a")?.holder).toBe("a");
  clock.advance(1);
  expect(tokens.find("a")).toBeUndefined();
  clock.advance(-1);
  expect(tokens.find("a")).toBeUndefined();
});
