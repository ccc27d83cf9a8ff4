import { expect, test } from "vitest";
import type { ScrubbedJson, ScrubbedText } from "./index.ts";
import { scrubToJson, scrubToText } from "./scrubbed-text.ts";
import { testScrubber } from "./testing/fakes.ts";

const secret = ["S3cr", "etPw", "9"].join("");

/** Stands for the store, which takes nothing else. */
function store(text: ScrubbedText, value: ScrubbedJson): string {
  return text + JSON.stringify(value);
}

test("[SC11] only what was scrubbed has the brand the store asks for", () => {
  const { text } = scrubToText(testScrubber(), `DB_PASSWORD=${secret}`);
  const { value, findings } = scrubToJson(testScrubber(), { password: secret });
  expect(store(text, value)).not.toContain(secret);
  expect(findings).toHaveLength(1);
  // @ts-expect-error -- a bare string is not scrubbed text
  expect(store("plain", value)).toContain("plain");
  // @ts-expect-error -- a bare value is not scrubbed JSON
  expect(store(text, { a: 1 })).toContain("a");
});
