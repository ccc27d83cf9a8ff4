import fc from "fast-check";
import { expect, test } from "vitest";
import { syncLimits } from "../sync-limits.ts";
import { isTooDeep } from "./json-depth.ts";

const { anyDepthCharsMax: charsMax, jsonDepthMax: depthMax } = syncLimits;
const filler = "x".repeat(charsMax);
const nested = (depth: number, inner: unknown): unknown =>
  depth === 0 ? inner : nested(depth - 1, depth % 2 === 0 ? [inner] : { inner });

test("[WR43] a long text is too deep from one level beyond the bound on", () => {
  expect(isTooDeep(JSON.stringify(nested(depthMax, filler)))).toBe(false);
  expect(isTooDeep(JSON.stringify(nested(depthMax + 1, filler)))).toBe(true);
  expect(isTooDeep("[".repeat(charsMax + 1))).toBe(true);
  expect(isTooDeep("[".repeat(charsMax))).toBe(false);
});

test("[WR43] what stands in strings is no level, whatever is escaped in them", () => {
  const unit = fc.constantFrom("[", "{", "]", "}", '"', "\\", "a", "\n", "→");
  const texts = fc.array(fc.string({ unit, maxLength: 40 }), { maxLength: 20 });
  fc.assert(
    fc.property(texts, fc.integer({ min: depthMax - 3, max: depthMax + 3 }), (parts, depth) => {
      const text = JSON.stringify(nested(depth - 1, [filler, ...parts]));
      expect(isTooDeep(text)).toBe(depth > depthMax);
    }),
    { numRuns: 200, seed: 20261127 },
  );
});

test("[WR43] a string of escapes without an end is looked through once", () => {
  const text = `"${'\\\\\\"'.repeat(1_000_000)}`;
  const startMs = performance.now();
  expect(isTooDeep(text)).toBe(false);
  expect(performance.now() - startMs).toBeLessThan(2_000);
});
