import { isCanonical } from "@tidemark/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { slimEvent } from "./slim-event.ts";

test("[CP55] long texts lose their middle, deep and unstorable values become null", () => {
  const slim = slimEvent({
    text: `${"a".repeat(5000)}${"b".repeat(5000)}`,
    deep: { 1: { 2: { 3: { 4: { 5: { 6: { 7: 8 } } } } } } },
    numbers: [1e300, 2 ** 60, 0.5, 3],
    constructor: 1,
  });
  expect(slim).toMatchObject({ numbers: [null, null, 0.5, 3] });
  expect(JSON.stringify(slim).length).toBeLessThan(4400);
  expect(slim).toMatchObject({ deep: { 1: { 2: { 3: { 4: { 5: { 6: null } } } } } } });
});

test("[CP55] whatever comes in, what comes out can be stored", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 12, stringUnit: "binary" }), (value) => {
      expect(isCanonical(slimEvent(value as never))).toBe(true);
    }),
    { seed: 13, numRuns: 300 },
  );
});
