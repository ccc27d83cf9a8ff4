import fc from "fast-check";
import { expect, test } from "vitest";
import { safeLines, safeText, terminalOf } from "./terminal.ts";

test("[OPS47] what a terminal would act on is taken out (abuse 173)", () => {
  const hostile =
    "a\u001B[2Jb\u001B]0;t\u0007c\u009Bd\re\u202Ef\u2066g\u200Bh\u{E0041}i\u007Fj\u00ADk\u2028l";
  expect(safeText(hostile)).toBe("a[2Jb]0;tcd efghijkl");
  expect(safeText(`z${"\u0301".repeat(1000)}`)).toBe(`z${"\u0301".repeat(4)}`);
});

test("[OPS47] ordinary text of any language stays", () => {
  const text = "Grüße, 世界! ЁЖ नमस्ते 👍 – “quoted”";
  expect(safeText(text)).toBe(text);
});

test("[OPS47] a text is one line, cut with an ellipsis", () => {
  expect(safeText("one\ntwo\tthree")).toBe("one two three");
  expect(safeText("abcdef", 4)).toBe("abc…");
  expect(safeText("👍👍👍👍👍", 4)).toBe("👍👍👍…");
  expect(safeLines("one\r\ntwo\n")).toBe("one\ntwo\n");
});

test("[OPS47] no text leaves a control character (abuse 173)", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(safeText(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
    }),
    { seed: 11, numRuns: 200 },
  );
});

test("[OPS47] colours only on a terminal that wants them", () => {
  expect(terminalOf({ isTTY: true, columns: 120 }, {})).toEqual({
    isTty: true,
    width: 120,
    hasColour: true,
  });
  expect(terminalOf({ isTTY: true }, { NO_COLOR: "1" }).hasColour).toBe(false);
  expect(terminalOf({ isTTY: true }, { TERM: "dumb" }).hasColour).toBe(false);
  expect(terminalOf({}, {})).toEqual({ isTty: false, width: 80, hasColour: false });
});
