import fc from "fast-check";
import { expect, test } from "vitest";
import { createLooker, isDone, isSuspect, lookBytes, lookOn, shareLook } from "./line-look.ts";

const looker = createLooker();
const token = ["ghp", "Q7hX2mVd9Lr4TnB6yKcW8sJf3GzP5u0aEeRt"].join("_");
const password = ["Tr0ub4dor", "&3x"].join("");
const memory = new SharedArrayBuffer(65_536);

test("[SC60] lines in shared memory are found out as they are by themselves, whatever lay there", () => {
  const piece = fc.constantFrom("a word ", `uses ${token} `, "é", "→", "😀", "\u0000", '"', "");
  const line = fc.array(piece, { maxLength: 5 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
      expect(lookBytes(lines)).toBeLessThan(memory.byteLength);
      const look = shareLook(lines, memory);
      expect(isDone(look)).toBe(lines.length === 0);
      lookOn(looker, look);
      expect(isDone(look)).toBe(true);
      expect([...look.marks].map((mark) => mark === 1)).toEqual(
        lines.map((each) => isSuspect(looker, each)),
      );
    }),
    { numRuns: 300, seed: 20261125 },
  );
});

test("[SC60] memory of just the size that lines want holds them", () => {
  const lines = ["é".repeat(1000), `uses ${token}`];
  const look = shareLook(lines, new SharedArrayBuffer(lookBytes(lines)));
  lookOn(looker, look);
  expect([...look.marks]).toEqual([0, 1]);
});

test.each(["contraseña", "пароль", "密码"])(
  "[SC60] a label in any letters is read as it was written: %s",
  (label) => {
    const line = `${label}: ${password}`;
    const misread = Buffer.from(line).toString("latin1");
    expect(isSuspect(looker, misread)).toBe(false);
    const look = shareLook(["a word", line], memory);
    lookOn(looker, look);
    expect([...look.marks]).toEqual([0, 1]);
  },
);
