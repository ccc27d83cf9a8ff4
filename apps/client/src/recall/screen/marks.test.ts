import { expect, test } from "vitest";
import { markPatterns } from "./marks.ts";
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
