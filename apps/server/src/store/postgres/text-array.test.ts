import { expect, test } from "vitest";
import { textArray } from "./text-array.ts";

test("an array is written as PostgreSQL reads it, and only once", () => {
  const text = textArray([
    "plain",
    null,
    "null",
    "",
    'say "no"',
    String.raw`a\b`,
    "{a,b}",
    "line\n",
  ]);
  expect(text).toBe(String.raw`{"plain",null,"null","","say \"no\"","a\\b","{a,b}","line` + '\n"}');
  expect(textArray(text)).toBe(text);
  expect(textArray([])).toBe("{}");
});
