import { expect, test } from "vitest";
import { columns, wallTimeText } from "./text.ts";

const nowMs = 1_790_000_000_000;

test.each([
  [nowMs - 1_000, "2026-09-21T14:13:19Z"],
  [-62_135_596_800_000, "unknown (the clock of its device said 0001-01-01T00:00:00Z)"],
  [253_402_300_799_999, "unknown (the clock of its device said 9999-12-31T23:59:59Z)"],
  [nowMs + 11 * 60_000, "unknown (the clock of its device said 2026-09-21T14:24:20Z)"],
  [Number.NaN, "unknown (the clock of its device said unknown)"],
])("[CP69] a record's time of %d reads %s (abuse 121)", (ms, text) => {
  expect(wallTimeText(ms, nowMs)).toBe(text);
});

test("[CL66] columns are as wide as their widest cell, in more rows than a call takes arguments", () => {
  const rows = Array.from({ length: 200_000 }, (_, index) => [`${index}`, "title"]);
  const lines = columns(rows).split("\n");
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([
    200_000,
    "0       title",
    "199999  title",
  ]);
});
