import { expect, test } from "vitest";
import { testScrubber } from "../testing/fakes.ts";

const scrubber = testScrubber();
const word = ["Maple", "mxx", "opo"].join("_").replace("_o", "o");
const mark = /__SECRET_credential_[a-z2-7]{12}__/g;
const table = (...rows: readonly string[]): string =>
  ["====== Data ======", "Key         Value", "---         -----", ...rows].join("\n");

test("[SC1] in a table of names and values the value goes, whatever else stands in it", () => {
  const held = (value: string): string => table("username    app", `password    ${value}`, "port        5432"); // prettier-ignore
  for (const value of [word, "hunter2xyz", "correct horse".replace(" ", "-")]) {
    const { text } = scrubber.scrub(held(value));
    expect(text.replaceAll(mark, value)).toBe(held(value));
    expect(text).not.toContain(value);
  }
});

test("[SC1] the same where the line ends are escaped, and after carriage returns", () => {
  for (const end of ["\r\n", "\\n"]) {
    const { text } = scrubber.scrub(table(`password    ${word}`, "port        1").replaceAll("\n", end)); // prettier-ignore
    expect(text).not.toContain(word);
    expect(text).toContain(`${end}port        1`);
  }
});

test("[SC1] each of several rows goes, however many stand between the dashes and it, up to a limit", () => {
  const row = (name: string, given: string): string => `${name.padEnd(12)}${given}`;
  const others = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => row(`port_${n}`, "1")); // prettier-ignore
  for (const [first, second, isGone] of [
    [1, 1, true],
    [10, 12, true],
    [10, 13, false],
    [23, 0, false],
  ] as const) {
    const held = table(...others(first), row("password", "hunter2xyz"), ...others(second), row("passphrase", word), ""); // prettier-ignore
    const { text } = scrubber.scrub(held);
    expect(text).not.toContain("hunter2xyz");
    expect(text.includes(word), `${first} and ${second}`).toBe(!isGone);
  }
});

test("[SC4] a name at the head of every line costs no more for the lines above it", () => {
  let [work, text] = [0, ""];
  for (let n = 0; n < 1000; n++) text += `PASS  src/module-${n}.test.ts (12 tests) 0.41 s\n`;
  testScrubber({ onWork: (done) => (work += done) }).scrub(text);
  expect(work / text.length).toBeLessThan(8);
});

test.each([
  table("tokens      4218", "token_ttl   768h", "token_type  service", "secret_id   n/a"),
  `password    ${word.toLowerCase()}`,
  `Key         Value\n---         -----\n\nThe password    is ours`,
  table(`password   ${word}`).replaceAll("---  ", "     "),
  "Name        Kind\n----\npassword    Text",
])("[SC10] what stands in no such column stays: %s", (text) => {
  expect(scrubber.scrub(text).text).toBe(text);
});
