import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { syncLimits } from "../sync-limits.ts";
import { parseJson } from "./failures.ts";
import { isTooDeep } from "./json-depth.ts";
import { decodeStates } from "./ndjson.ts";

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

test("[WR43] many beside each other are not deep", () => {
  const pairs = Array.from({ length: 20_000 }, (_, at) => [`record-${at}`, { at }]);
  expect(isTooDeep(JSON.stringify(nested(depthMax - 3, pairs)))).toBe(false);
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
  // Once for each quote would be a million times: a day.
  expect(isTooDeep(text)).toBe(false);
});

test("[WR43] what is too deep is not parsed, as an answer, a record or a last line", () => {
  const deep = "[".repeat(charsMax) + "]".repeat(charsMax);
  const record = `{"seq":1,"id":"r1","collection":"note","lamport":1,"writer":"w","at":1,"fields":{"a":${deep}}}`;
  const tail = '{"head":1}';
  const parse = vi.spyOn(JSON, "parse");
  expect(parseJson(deep)).toBeUndefined();
  expect(decodeStates([record, tail], z.object({ head: z.number() }), "rising").ok).toBe(false);
  expect(decodeStates([deep], z.unknown(), "rising").ok).toBe(true);
  const longest = Math.max(...parse.mock.calls.map(([text]) => text.length));
  parse.mockRestore();
  expect(longest).toBe(tail.length);
});
