import { expect, test } from "vitest";
import { charClasses } from "./chars.ts";
import { textCharsMax, workBaseMax, workPerCharMax } from "./limits.ts";
import { createScan, noteBreak, noteNamed, OverBudgetError, runEnd, spend } from "./scan.ts";

test("[SC5] a text of the greatest length is scanned, and one character more is refused", () => {
  const longest = "x".repeat(textCharsMax);
  expect(createScan(longest, false).text).toHaveLength(textCharsMax);
  expect(() => createScan(`${longest}x`, false)).toThrow(OverBudgetError);
  expect(() => createScan(`${longest}x`, false)).toThrow("too long");
});

test("[SC4] a scan may visit so much for each character, and not one character more", () => {
  const scan = createScan("abcde", false);
  expect(scan).toMatchObject({ work: 5, workMax: workBaseMax + 5 * workPerCharMax, depth: 0 });
  expect([scan.candidates, scan.atoms]).toEqual([[], []]);
  spend(scan, scan.workMax - 5);
  expect(scan.work).toBe(scan.workMax);
  expect(() => spend(scan, 1)).toThrow(OverBudgetError);
  expect(() => spend(scan, 0)).toThrow("over budget");
});

test("[SC20] a decoded text is a layer deeper and may cost what is left of the text around it", () => {
  const around = createScan("outer", true);
  spend(around, 1000);
  const inner = createScan("inner text", false, around);
  expect(inner.depth).toBe(1);
  expect(createScan("in", false, inner).depth).toBe(2);
  expect(inner.workMax).toBe(workBaseMax + 5 * workPerCharMax - 1005);
  expect(inner.shapesOnly).toBe(false);
});

test("[SC4] a run is measured once, from its start to its end, and anew from anywhere else", () => {
  const scan = createScan("..abcdef..12", false);
  const costOf = (from: number, mask: number): readonly number[] => {
    const before = scan.work;
    return [runEnd(scan, from, mask), scan.work - before];
  };
  expect(costOf(4, charClasses.lower)).toEqual([8, 5]);
  expect(costOf(4, charClasses.lower)).toEqual([8, 0]);
  expect(costOf(7, charClasses.lower)).toEqual([8, 0]);
  expect(costOf(8, charClasses.lower)).toEqual([8, 1]);
  expect(costOf(2, charClasses.lower)).toEqual([8, 7]);
  expect(costOf(4, charClasses.lower)).toEqual([8, 0]);
  expect(costOf(1, charClasses.lower)).toEqual([1, 1]);
  expect(costOf(10, charClasses.digit)).toEqual([12, 3]);
  expect(costOf(3, charClasses.alnum)).toEqual([8, 6]);
});

test("[SC7] a token may go on in the next line where it ends at the end of one", () => {
  const scan = createScan("ab\ncd\r\nef gh", false);
  for (const end of [0, 2, 5, 9, 12]) noteBreak(scan, end);
  expect(scan.breaks).toEqual(new Set([2, 5]));
});

test("[SC1] what is known by its name is noted below every shape, and nothing is not noted", () => {
  const scan = createScan("name: value", false);
  const found = { kind: "credential", ruleId: "rule" };
  noteNamed(scan, { ...found, start: 6, end: 6 });
  noteNamed(scan, { ...found, start: 7, end: 6 });
  expect(scan.candidates).toEqual([]);
  noteNamed(scan, { ...found, start: 6, end: 7 });
  noteNamed(scan, { ...found, start: 6, end: 11, rank: 5, layer: "json", confidence: "high" });
  const named = { rank: 0, label: "credential", confidence: "medium", layer: "plain" };
  expect(scan.candidates).toEqual([
    { ...found, ...named, start: 6, end: 7 },
    { ...found, ...named, start: 6, end: 11, rank: 5, layer: "json", confidence: "high" },
  ]);
});
