import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { markPatterns, skippedMarks } from "./marks.ts";
import { tonguePatterns } from "./other-tongues.ts";

test.each([...markPatterns(), ...tonguePatterns()].map(({ source }) => source))(
  "[RC19] a pattern reads a bounded stretch: %s (abuse 124)",
  (source) => {
    const bare = source.replaceAll(/\\./g, "e").replaceAll(/\[(?:[^\]])*\]/g, "c");
    expect(bare).not.toMatch(/[*+]|\{\d+,\}/);
    for (const [, most = "0"] of bare.matchAll(/\{\d+,(\d+)\}/g)) {
      expect(Number(most)).toBeLessThanOrEqual(400);
    }
  },
);

test("[RC19] the look before a pattern passes over no text that the pattern finds", () => {
  const folder = new URL("../../../../../test/fixtures/injections/", import.meta.url);
  for (const name of ["attacks.ndjson", "benign.ndjson"]) {
    const text = readFileSync(new URL(name, folder), "utf8");
    // Line by line, with what JSON escapes as it was said.
    for (const line of text.trim().split("\n")) {
      const said = Object.values(JSON.parse(line) as object)
        .flat()
        .join("\n");
      expect(skippedMarks(said)).toEqual([]);
    }
  }
});
