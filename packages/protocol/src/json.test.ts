import { expect, test } from "vitest";
import { canonicalJson, compareText, isArray, isObject } from "./json.ts";

test("[CN2] members are sorted by code unit at every level, lists keep their order", () => {
  expect(canonicalJson({ b: { d: 1, c: [2, 1] }, B: "x", ä: null, a: false })).toBe(
    '{"B":"x","a":false,"b":{"c":[2,1],"d":1},"ä":null}',
  );
  expect(canonicalJson([])).toBe("[]");
  expect(canonicalJson({})).toBe("{}");
  expect(canonicalJson([-0, 0, 1.5, "\n"])).toBe('[0,0,1.5,"\\n"]');
});

test("[CN2] a text is written as JSON writes it, whatever stands in it", () => {
  for (let unit = 0; unit < 0x10000; unit += 1) {
    const text = `a${String.fromCharCode(unit)}b`;
    if (canonicalJson(text) !== JSON.stringify(text)) expect(unit).toBe("written as JSON does");
  }
  for (const text of ["", '"', "\\", "😀", "\ud83d😀\ude00", "\u2028\u007f"]) {
    expect(canonicalJson(text)).toBe(JSON.stringify(text));
  }
});

test("[CN2] a text is written as JSON writes it, whichever character it holds", () => {
  const units = Array.from({ length: 0x1_00_00 }, (_, unit) => `a${String.fromCharCode(unit)}b`);
  expect(units.filter((text) => canonicalJson(text) !== JSON.stringify(text))).toEqual([]);
  expect(canonicalJson({ 'a"\n': "\ud83d\ude00" })).toBe('{"a\\"\\n":"\ud83d\ude00"}');
});

test("[CN2] texts are ordered by code unit, whatever the locale", () => {
  expect(compareText("a", "a")).toBe(0);
  expect(compareText("Z", "a")).toBe(-1);
  expect(compareText("a", "Z")).toBe(1);
  expect(compareText("a", "ab")).toBe(-1);
  expect(compareText("ä", "z")).toBe(1);
});

test("lists, objects and everything else are told apart", () => {
  expect([[], {}, null, "x", 1, true].map(isArray)).toEqual([true, ...Array(5).fill(false)]);
  expect([{}, [], null, "x", 1, true, undefined].map(isObject)).toEqual([
    true,
    ...Array(6).fill(false),
  ]);
});
