import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonText } from "./json.ts";

test("[CL4] controls and invisible characters are escaped (abuse 173)", () => {
  const text = "a\u{1B}[2J\u{9B}\u{7F}\u{202E}\u{200B}\u{E0041}\u{2028}\u{FEFF}é🎉";
  expect(jsonText(text)).toBe(
    String.raw`"a\u001b[2J\u009b\u007f\u202e\u200b\udb40\udc41\u2028\ufeffé🎉"`,
  );
});

test("[CL4] what is printed reads back as it was", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(jsonText(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
    { numRuns: 300, seed: 20261121 },
  );
});
