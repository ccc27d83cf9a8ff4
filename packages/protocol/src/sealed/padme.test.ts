import fc from "fast-check";
import { expect, test } from "vitest";
import { isPadmeSize, padmeBytes } from "./padme.ts";

test.each([
  [0, 32],
  [1, 32],
  [32, 32],
  [33, 36],
  [100, 104],
  [1000, 1024],
  [1025, 1088],
  [65_536, 65_536],
  [65_537, 67_584],
])("[EE2] %i bytes become %i", (bytes, padded) => {
  expect(padmeBytes(bytes)).toBe(padded);
  expect(isPadmeSize(padded)).toBe(true);
});

test("[EE2] padding takes at most 12 %, never shrinks, keeps the order and is a size of its own", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 24 }), (bytes) => {
      const padded = padmeBytes(bytes);
      expect(padded).toBeGreaterThanOrEqual(bytes);
      expect(padded).toBeLessThanOrEqual(Math.max(32, bytes * 1.12));
      expect(padmeBytes(padded)).toBe(padded);
      expect(padmeBytes(bytes + 1)).toBeGreaterThanOrEqual(padded);
      expect(isPadmeSize(bytes)).toBe(padded === bytes);
    }),
    { numRuns: 3000, seed: 20261123 },
  );
});

test("[EE2] a thousand texts of any size show few sizes (abuse 151)", () => {
  const sizes = new Set<number>();
  for (let bytes = 1; bytes <= 1000; bytes += 1) sizes.add(padmeBytes(bytes));
  expect(sizes.size).toBeLessThanOrEqual(66);
});
