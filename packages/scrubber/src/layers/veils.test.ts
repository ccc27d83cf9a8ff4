import { describe, expect, test } from "vitest";
import { alnum, drawChars, testScrubber } from "../testing/fakes.ts";

const scrubber = testScrubber();
const body = drawChars(alnum, 36, 13);
const head = ["gh", "p_"].join("");
const colour = "\u001b[01;31m\u001b[K";
const off = "\u001b[m\u001b[K";

const broken: readonly (readonly [name: string, text: string])[] = [
  ["colours of a search", `match: ${colour}${head}${off}${body}`],
  ["colours written as escapes", JSON.stringify({ out: `match: ${colour}${head}${off}${body}` })],
  ["a character without width", `tok ${head}${body.slice(0, 6)}\u200b${body.slice(6)}`],
  ["a soft hyphen", `tok ${head}${body.slice(0, 6)}\u00ad${body.slice(6)}`],
  ["two texts that are joined", `const t = "${head}" + "${body}";`],
  ["colours in a name", `api_${colour}key${off} = "${body}"`],
];

describe("what stands in the middle of a word", () => {
  test.each(broken)("[SC20] hides no token: %s (abuse 127)", (_name, text) => {
    const { text: out, findings } = scrubber.scrub(text);
    expect(out).not.toContain(body.slice(8));
    expect(findings).toHaveLength(1);
    expect(scrubber.scrub(out).text).toBe(out);
  });

  test.each([
    `${colour}PASS${off} src/password.test.ts`,
    "zero\u200bwidth wo\u200brds token\u200b: none",
    'const x = "abc" + "defghijklmnop1234";',
  ])("[SC10] leaves other text as it is: %s", (text) => {
    expect(scrubber.scrub(text)).toEqual({ text, findings: [] });
  });
});
