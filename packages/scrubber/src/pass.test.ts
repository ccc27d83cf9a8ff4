import fc from "fast-check";
import { expect, test } from "vitest";
import { compileRules } from "./compile.ts";
import { runPass } from "./pass.ts";
import type { ScannerRule } from "./rule.ts";
import { createScan } from "./scan.ts";

const facts = { id: "r", kind: "k", priority: 2, source: "a test" } as const;
const seed = { seed: 20_261, numRuns: 400 } as const;
const letters = fc.constantFrom("a", "b", "A", "B", "c", " ", "é");
const words = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 2, maxLength: 5 });

test("[SC4] a pass stops at every anchor in any case, in order, the longest first", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(words, { minLength: 1, maxLength: 8 }),
      fc.array(fc.string({ unit: letters, maxLength: 60 }), { minLength: 1, maxLength: 3 }),
      (anchors, texts) => {
        const met: string[] = [];
        const scan: ScannerRule["scan"] = (_, hit) => met.push(`${hit.start}-${hit.end}`);
        const rules = compileRules([{ ...facts, anchors, scan }]);
        if (!rules.ok) throw new Error(rules.error.kind);
        // One set for all texts: rows that one text has filled serve the next.
        for (const text of texts) {
          met.length = 0;
          runPass(createScan(text, false), rules.value);
          expect(met).toEqual(anchorsIn(text, anchors));
        }
      },
    ),
    seed,
  );
});

test("[SC4] a pass over a long text meets what it holds, wherever blocks and lanes of it end", () => {
  const anchors = ["abab", "ba", "bbbbaaaa", "secret_name_of_thirty_characters"];
  const pieces = fc.constantFrom("ab", "BA", "bbbb", "aaaa", "c", " ", "é", "→", "Secret_Name_Of_", "thirty_characters"); // prettier-ignore
  fc.assert(
    fc.property(
      fc.array(pieces, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: 300, max: 9_000 }),
      fc.boolean(),
      (words, lead, chars, isAscii) => {
        const met: string[] = [];
        const scan: ScannerRule["scan"] = (_, hit) => met.push(`${hit.start}-${hit.end}`);
        const rules = compileRules([{ ...facts, anchors, scan }]);
        if (!rules.ok) throw new Error(rules.error.kind);
        const unit = isAscii ? words.join("").replaceAll(/[^ -~]/g, "+") : words.join("");
        const text = "x".repeat(lead) + unit.repeat(Math.ceil(chars / unit.length));
        runPass(createScan(text, false), rules.value);
        expect(met).toEqual(anchorsIn(text, anchors));
      },
    ),
    { ...seed, numRuns: 120 },
  );
});

function anchorsIn(text: string, anchors: readonly string[]): readonly string[] {
  const folded = text.toLowerCase();
  const places: string[] = [];
  for (let end = 1; end <= text.length; end++) {
    const here = anchors.filter((anchor) => folded.endsWith(anchor, end));
    here.sort((left, right) => right.length - left.length);
    for (const anchor of here) places.push(`${end - anchor.length}-${end}`);
  }
  return places;
}
