import { expect, test } from "vitest";
import { embedderInput, readVectors } from "./lines.ts";

const bad = { ok: false, error: "unreadable" };

test("[RC30] an embedder reads a line of JSON for each text, whatever stands in it", () => {
  const texts = ["one\ntwo", 'a "quote"', "\u2028"];
  const lines = embedderInput("query", texts).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
    texts.map((text) => ({ role: "query", text })),
  );
});

test("[RC30] a vector a line is read in order, by itself or by the name that servers give it", () => {
  const read = readVectors('[1, 0]\nnull\r\n{"embedding": [0, -0.5]}\n\n', 3);
  expect(read).toEqual({
    ok: true,
    value: [Int8Array.of(127, 0), undefined, Int8Array.of(0, -127)],
  });
});

test("[RC30] anything else is no answer: too few, too many, words, other lengths, no numbers", () => {
  expect(readVectors("", 1)).toEqual(bad);
  expect(readVectors("[1]", 2)).toEqual(bad);
  expect(readVectors("[1]\n[1]", 1)).toEqual(bad);
  for (const line of ["loading…", '"[1]"', "{}", "[]", "[0, 0]", '[1, "2"]', "[1, null]", "12"]) {
    expect(readVectors(line, 1)).toEqual(bad);
  }
  expect(readVectors("[1, 2]\n[1, 2, 3]", 2)).toEqual(bad);
  expect(readVectors(JSON.stringify(Array.from({ length: 8_193 }, () => 1)), 1)).toEqual(bad);
});
