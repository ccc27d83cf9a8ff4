import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalText, canonicalValue, isCanonical, isCanonicalObject } from "./canonical.ts";
import { canonicalJson, type JsonValue } from "./json.ts";
import { limits } from "./limits.ts";

const runs = { numRuns: 1000, seed: 20261121 };

test("[CN1] NUL and lone surrogates are replaced, pairs and everything else are kept (abuse 114, 115)", () => {
  expect(canonicalText("a\0b\ud800c\udc00d")).toBe("a\u{fffd}b\u{fffd}c\u{fffd}d");
  expect(canonicalText("😀 é e\u0301 \u200b")).toBe("😀 é e\u0301 \u200b");
});

test("[CN1] canonical text survives UTF-8 byte for byte (abuse 115)", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const canonical = canonicalText(text);
      expect(new TextDecoder().decode(new TextEncoder().encode(canonical))).toBe(canonical);
      expect(canonical).not.toContain("\0");
      expect(canonicalText(canonical)).toBe(canonical);
    }),
    runs,
  );
});

test("[CN2] equal values have one text, and it parses back to them", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (raw) => {
      const value = canonicalValue(raw);
      if (!value.ok) return;
      const text = canonicalJson(value.value);
      const parsed = JSON.parse(text) as JsonValue;
      expect(canonicalJson(parsed)).toBe(text);
      expect(isCanonical(value.value)).toBe(true);
    }),
    runs,
  );
  expect(canonicalJson({ b: 1, a: [true, null] })).toBe('{"a":[true,null],"b":1}');
  expect(canonicalJson(-0)).toBe("0");
});

test("[CN3] what cannot be stored is refused, never bent", () => {
  expect(canonicalValue(2 ** 53)).toEqual({ ok: false, error: { kind: "bad-number" } });
  expect(canonicalValue(Number.NaN)).toEqual({ ok: false, error: { kind: "bad-number" } });
  expect(canonicalValue(Number.POSITIVE_INFINITY).ok).toBe(false);
  for (const value of [undefined, [undefined], { a: () => 1 }, 1n]) {
    expect(canonicalValue(value)).toEqual({ ok: false, error: { kind: "not-json" } });
  }
  expect(canonicalValue(JSON.parse('{"__proto__":1}'))).toEqual({
    ok: false,
    error: { kind: "bad-key" },
  });
  const deep = JSON.parse("[".repeat(5000) + "]".repeat(5000)) as unknown;
  expect(canonicalValue(deep)).toEqual({ ok: false, error: { kind: "too-deep" } });
});

test("[CN3] never throws, whatever the value", () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      const canonical = canonicalValue(value);
      if (canonical.ok) expect(isCanonical(canonical.value)).toBe(true);
    }),
    runs,
  );
});

test("[CN3] polluting and unstorable names of fields are not canonical (abuse 116)", () => {
  expect(isCanonicalObject({ constructor: 1 })).toBe(false);
  expect(isCanonicalObject({ "a\0": 1 })).toBe(false);
  expect(isCanonicalObject({ nested: { prototype: 1 } })).toBe(false);
  expect(isCanonicalObject({ nested: { fine: "\ud800" } })).toBe(false);
  expect(isCanonicalObject({ fine: [1, "two", null, false] })).toBe(true);
});

/** A value of so many levels, lists or objects. */
function nested(levels: number, wrap: (inner: JsonValue) => JsonValue): JsonValue {
  return levels === 0 ? 1 : wrap(nested(levels - 1, wrap));
}

test.each([
  ["lists", (inner: JsonValue): JsonValue => [inner]],
  ["objects", (inner: JsonValue): JsonValue => ({ a: inner })],
])("[CN3] %s may be as deep as the limit and no deeper", (_, wrap) => {
  const deep = nested(limits.valueDepthMax, wrap);
  expect(canonicalValue(deep)).toEqual({ ok: true, value: deep });
  expect(isCanonical(deep)).toBe(true);
  expect(isCanonicalObject({ deep })).toBe(true);
  const deeper = nested(limits.valueDepthMax + 1, wrap);
  expect(canonicalValue(deeper)).toEqual({ ok: false, error: { kind: "too-deep" } });
  expect(isCanonical(deeper)).toBe(false);
  expect(isCanonicalObject({ deeper })).toBe(false);
});

test.each<readonly [unknown, JsonValue]>([
  ["a\0", "a\u{fffd}"],
  [true, true],
  [null, null],
  [-0, 0],
  [1.5, 1.5],
  [2 ** 53 - 1, 2 ** 53 - 1],
  [
    ["a\0", [null, -0]],
    ["a\u{fffd}", [null, 0]],
  ],
  [
    { "k\0": "a\0", b: { c: [-0] } },
    { "k\u{fffd}": "a\u{fffd}", b: { c: [0] } },
  ],
])("[CN1] the storable form of %j", (given, stored) => {
  expect(canonicalValue(given)).toEqual({ ok: true, value: stored });
  expect(isCanonical(stored)).toBe(true);
  expect(isCanonical(given as JsonValue)).toBe(Object.is(given, stored));
});

test.each<readonly [unknown, string]>([
  [[1, Number.NaN], "bad-number"],
  [{ a: { b: -(2 ** 53) } }, "bad-number"],
  [{ prototype: 1 }, "bad-key"],
  [[{ constructor: 1 }], "bad-key"],
])("[CN3] one bad part refuses the whole: %j", (value, kind) => {
  expect(canonicalValue(value)).toEqual({ ok: false, error: { kind } });
  expect(isCanonicalObject({ fine: 1, value: value as JsonValue })).toBe(false);
});

test("[CN3] a bad name beside good ones is not overlooked", () => {
  expect(isCanonicalObject({ fine: 1, "a\0": 1 })).toBe(false);
  expect(isCanonicalObject({ fine: 1, worse: 2 ** 53 })).toBe(false);
  expect(isCanonical({ fine: 1, "a\0": 1 })).toBe(false);
  expect(isCanonical([1, -0])).toBe(false);
});
