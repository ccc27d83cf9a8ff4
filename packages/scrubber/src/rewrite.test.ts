import { expect, test } from "vitest";
import { mapBack, rewriteSpans } from "./rewrite.ts";
import type { Candidate } from "./scan.ts";
import type { Span } from "./spans.ts";

const lead: Candidate = {
  start: 0,
  end: 0,
  kind: "k",
  ruleId: "r",
  rank: 0,
  label: "k",
  confidence: "low",
  layer: "hex",
};

function span(start: number, end: number, more: Partial<Candidate> = {}): Span {
  return {
    start,
    end,
    lead: { ...lead, ...more },
    kind: "kind",
    label: "label",
    canonical: "bare",
  };
}

const tagOf = (canonical: string, isGuessable?: boolean): string =>
  isGuessable === true ? `guess-${canonical}` : canonical;

test("[SC1] each span becomes its placeholder, and all between them stays", () => {
  const { text, edits, findings } = rewriteSpans(
    "ab SECRET cd 1234 ef",
    [span(3, 9, { valid: false }), span(13, 17, { quote: '"', isGuessable: true })],
    tagOf,
  );
  expect(text).toBe('ab __SECRET_label_bare__ cd "__SECRET_label_guess-bare__" ef');
  expect(edits).toEqual([
    { start: 3, end: 9, written: 21 },
    { start: 13, end: 17, written: 29 },
  ]);
  const same = { kind: "kind", ruleId: "r", confidence: "low", layer: "hex" };
  expect(findings).toEqual([
    { ...same, start: 3, end: 9, placeholderTag: "bare", valid: false },
    { ...same, start: 13, end: 17, placeholderTag: "guess-bare" },
  ]);
  expect(findings[1]).not.toHaveProperty("valid");
});

test("[SC1] a place in the rewritten text has its place in the text before", () => {
  // "ab SECRET cd 1234 ef" with 6 characters as 10 and 4 as 2.
  const edits = [
    { start: 3, end: 9, written: 10 },
    { start: 13, end: 17, written: 2 },
  ];
  const back = (start: number, end: number): readonly number[] => {
    const span = mapBack({ start, end }, edits);
    return [span.start, span.end];
  };
  expect(back(0, 3)).toEqual([0, 3]);
  expect(back(3, 13)).toEqual([3, 9]);
  expect(back(4, 5)).toEqual([3, 9]);
  expect(back(12, 14)).toEqual([3, 10]);
  expect(back(13, 17)).toEqual([9, 13]);
  expect(back(18, 19)).toEqual([13, 17]);
  expect(back(19, 22)).toEqual([17, 20]);
  expect(mapBack({ start: 5, end: 7 }, [])).toEqual({ start: 5, end: 7 });
});
