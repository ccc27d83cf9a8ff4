import { describe, expect, test } from "vitest";
import { alnum, drawChars, testScrubber } from "../testing/fakes.ts";

const scrubber = testScrubber();
const pieces = [31, 37, 41].map((seed) => `k7${drawChars(alnum, 38, seed)}`);
const [first = "", second = "", third = ""] = pieces;
const token = ["sk", "live", ""].join("_") + first;

describe("[SC20] a secret that was cut in pieces goes with all of them", () => {
  test.each([
    ["a terminal", `export STRIPE_KEY=${token}\n${second}\n${third}\n`],
    ["an indent", `  STRIPE_KEY=${token}\n  ${second}\n  ${third}\n`],
    ["backslashes", `$ TOKEN=${token}\\\n${second}\\\n${third}\n`],
    ["mail", `${token}=\n${second}\n${third}\n`],
    ["texts that code joins", `const key = '${token}' + '${second}' +\n  '${third}';`],
    ["a name alone", `api_key=${first}=\n${second}\n${third}`],
  ])("%s", (_, text) => {
    const { text: scrubbed } = scrubber.scrub(text);
    for (const piece of pieces) expect(scrubbed).not.toContain(piece.slice(2));
    expect(scrubber.scrub(scrubbed).text).toBe(scrubbed);
  });
});

test.each([
  `total\n`,
  `${"89abcdef".repeat(5)}\n`,
  `REGION=eu-central-1\n`,
  `listening on port 8080\n`,
  `--- done\n`,
  `app.port=80\n`,
])("[SC10] the next line stays where it is no piece: %j", (next) => {
  const { text } = scrubber.scrub(`export STRIPE_KEY=${token}\n${next}`);
  expect(text.endsWith(next)).toBe(true);
});
