import fc from "fast-check";
import { expect, test } from "vitest";

import { clipMiddle, oneLine, plainText } from "./clip.ts";
import { contentHash, stableKey } from "./identity.ts";
import { fenceText } from "../../recall/fence.ts";
import { isSlashCommand, typedText } from "./prompt-text.ts";
import { isoToMs } from "./timestamp.ts";

test("[CP7] times are read as the calendar says", () => {
  const times = fc.date({
    min: new Date(0),
    max: new Date("9999-12-31T23:59:59.999Z"),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(times, (time) => isoToMs(time.toISOString()) === time.getTime()),
    { seed: 1, numRuns: 1000 },
  );
  expect(isoToMs("2026-02-30")).toBeUndefined();
  expect(isoToMs(17)).toBeUndefined();
});

test("[CP8] shortened text keeps within its bound and in one piece", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 300 }),
      fc.integer({ min: 12, max: 80 }),
      (text, max) => {
        const [line, middle] = [oneLine(text, max), clipMiddle(text, max)];
        return (
          line.length <= max &&
          middle.length <= max &&
          !/\p{Surrogate}/u.test(line) &&
          !/\p{Surrogate}/u.test(middle)
        );
      },
    ),
    { seed: 1, numRuns: 2000 },
  );
});

test("[CP8] colours and control characters are no text", () => {
  expect(plainText("\u001B[31mred\u001B[0m\u0007 \u001B]0;title\u0007a\r\nb\rc")).toBe(
    "red a\nb\nc",
  );
});

test("[CP3] keys are of bounded length and tell their parts apart", () => {
  expect(stableKey("a/b", "c")).not.toBe(stableKey("a", "b/c"));
  expect(stableKey("x".repeat(5000)).length).toBeLessThan(64);
  const hashes = new Set(
    Array.from({ length: 20_000 }, (_, index) => contentHash(`text ${index}`)),
  );
  expect(hashes.size).toBe(20_000);
});

/** What an agent was given, which holds what another was given before it. */
const recalled = given("outer", JSON.stringify({ text: `${given("inner", "{}")}\nUse tabs.` }));

function given(boundary: string, line: string): string {
  return fenceText([line], '3 more in memory: tidemark search "…"', boundary);
}

test.each([
  ["Fix it", "Fix it"],
  ["<system-reminder>be good</system-reminder>Fix it", "Fix it"],
  ["<ide_opened_file>a.ts</ide_opened_file>\nFix it", "Fix it"],
  ["<system-reminder>never closed", undefined],
  ["[Request interrupted by user for tool use]", undefined],
  ["<!-- tidemark:start -->old<!-- tidemark:end -->", undefined],
  ["Is <T> fine?", "Is <T> fine?"],
  [`<hook_context>${recalled}</hook_context>\n\nFix it`, "Fix it"],
  [`${recalled}\n\nFix it`, "Fix it"],
  [`Fix it\n\n${recalled}`, "Fix it"],
  [recalled, undefined],
  [recalled.slice(0, -40), undefined],
])("[CP9] of %j a person typed %j", (prompt, typed) => {
  expect(typedText(prompt)).toBe(typed);
});

test("[CP9] a command of the host is told from a path", () => {
  expect(isSlashCommand("/review now")).toBe(true);
  expect(isSlashCommand("/home/u/app is broken")).toBe(false);
});
