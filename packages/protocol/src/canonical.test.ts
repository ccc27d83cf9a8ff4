import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalText, canonicalValue, isCanonical, isCanonicalObject } from "./canonical.ts";
import { canonicalJson, type JsonValue } from "./json.ts";

const runs = { numRuns: 1000, seed: 20261121 };

test("[CN1] NUL and lone surrogates are replaced, pairs and everything else are kept", () => {
  expect(canonicalText("a\0b\ud800c\udc00d")).toBe("a\u{fffd}b\u{fffd}c\u{fffd}d");
  expect(canonicalText("😀 é e\u0301 \u200b")).toBe("😀 é e\u0301 \u200b");
});

test("[CN1] canonical text survives UTF-8 byte for byte", () => {
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
  expect(canonicalValue(undefined)).toEqual({ ok: false, error: { kind: "not-json" } });
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

test("[CN3] polluting and unstorable names of fields are not canonical", () => {
  expect(isCanonicalObject({ constructor: 1 })).toBe(false);
  expect(isCanonicalObject({ "a\0": 1 })).toBe(false);
  expect(isCanonicalObject({ nested: { prototype: 1 } })).toBe(false);
  expect(isCanonicalObject({ nested: { fine: "\ud800" } })).toBe(false);
  expect(isCanonicalObject({ fine: [1, "two", null, false] })).toBe(true);
});
