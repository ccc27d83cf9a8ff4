import fc from "fast-check";
import { expect, test } from "vitest";
import { createScan } from "../scan.ts";
import { isInRunningWords } from "./plain-word.ts";
import { readSeparator } from "./separator.ts";
import { canHead } from "./value-list.ts";

/** The place of a name between what is before and behind it. */
function placed(before: string, name: string, behind: string) {
  const text = before + name + behind;
  return { text, start: before.length, end: before.length + name.length };
}

const isInWords = (before: string, name: string, behind: string): boolean => {
  const { text, ...place } = placed(before, name, behind);
  return isInRunningWords(text, place);
};

test("[SC4] a name among plain words is passed over", () => {
  expect(isInWords("the ", "token", " cache is cold")).toBe(true);
  expect(isInWords("a ", "password", " prompt opens")).toBe(true);
});

test.each([
  ["the ", "token", " is X"],
  ["the ", "token", " for it: X"],
  ["set ", "token", " to X"],
  ["var ", "token", " string = 'X'"],
  ["the ", "token", " X9k2 and more"],
  ["the ", "token", " cache: X"],
  ["the ", "token", "  cache"],
  ["the ", "token", " value X"],
  ["", "token", " cache is"],
  ["ENV ", "TOKEN", " cache is"],
  ["echo X > ", "token", " and more"],
  ["login ann ", "password", " hunter and more"],
])("[SC4] %s%s%s is looked at", (before, name, behind) => {
  expect(isInWords(before, name, behind)).toBe(false);
});

test("[SC1] nothing is tied to a name that is passed over, and it heads no column", () => {
  const words = "as is was for to set has the my cache type string text pic login user set ENV config X9 'a' \"b\" value or".split(" "); // prettier-ignore
  const word = fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 6 }));
  const gap = fc.constantFrom(" ", " ", " ", "  ", "\n", ": ", "=", ", ", " | ", " > ", '"');
  const some = fc.array(fc.tuple(word, gap), { maxLength: 5 });
  const name = fc.constantFrom("token", "password", "api_key", "secret", "dbpasswd", "pass word");
  let passed = 0;
  fc.assert(
    fc.property(some, name, some, (before, noun, behind) => {
      const { text, start, end } = placed(
        `${before.flat().join("")} `,
        noun,
        ` ${behind.flat().join("")}`,
      );
      if (!isInRunningWords(text, { start, end })) return;
      passed += 1;
      expect(readSeparator(createScan(text, false), start, end)).toBeUndefined();
      expect(canHead(text, { start, end })).toBe(false);
    }),
    { seed: 20_262, numRuns: 20_000 },
  );
  expect(passed).toBeGreaterThan(1_000);
});
