import fc from "fast-check";
import { expect, test } from "vitest";
import { sha256 } from "../testing/sha256.ts";
import { parseRecoveryCode, recoveryBytes, recoveryCode } from "./recovery-code.ts";

const runs = { numRuns: 300, seed: 20261123 };
const anyBytes = fc.uint8Array({ minLength: recoveryBytes, maxLength: recoveryBytes });
const code = recoveryCode(sha256, new Uint8Array(recoveryBytes).fill(0xa5));

test("[EE8] a code is nine groups of four, and gives its 160 bits back however it is typed", () => {
  expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){8}[0-9A-HJKMNP-TV-Z]{4}$/);
  fc.assert(
    fc.property(anyBytes, (bytes) => {
      const made = recoveryCode(sha256, bytes);
      for (const typed of [
        made,
        made.toLowerCase(),
        made.replaceAll("-", " "),
        ` ${made.replaceAll("-", "")}\n`,
        made.replaceAll("0", "O").replaceAll("1", "l"),
        made.replaceAll("1", "I").replaceAll("0", "o"),
      ]) {
        expect(parseRecoveryCode(sha256, typed)).toEqual(bytes);
      }
    }),
    runs,
  );
});

test("[EE8] a code with one wrong character is told without asking anybody (abuse 149)", () => {
  for (let at = 0; at < code.length; at += 1) {
    if (code.charAt(at) === "-") continue;
    const other = code.charAt(at) === "7" ? "8" : "7";
    const typed = code.slice(0, at) + other + code.slice(at + 1);
    expect(parseRecoveryCode(sha256, typed)).toBeUndefined();
  }
});

test.each([
  "",
  "ABCD",
  `${code}-0000`,
  code.slice(0, -1),
  code.replace(/^./, "U"),
  code.replace(/^./, "!"),
])("[EE8] %s is no code", (typed) => {
  expect(parseRecoveryCode(sha256, typed)).toBeUndefined();
});

test("[EE8] a character that no code has is refused even with a check that fits", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 36, maxLength: 36 }), (typed) => {
      expect(() => parseRecoveryCode(sha256, typed)).not.toThrow();
    }),
    runs,
  );
});
