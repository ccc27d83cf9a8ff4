import { expect, test } from "vitest";
import { editableFields } from "./edit.ts";
import { nearestWord } from "./nearest-word.ts";

test.each([
  ["tilte", "title"],
  ["Title", "title"],
  ["fact", "facts"],
  ["filesread", "filesRead"],
  ["naratve", "narrative"],
  ["colour", undefined],
  ["k", undefined],
  ["x".repeat(1_000), undefined],
])("[CL31] %s is taken for %s", (word, meant) => {
  expect(nearestWord(word, editableFields)).toBe(meant);
});
