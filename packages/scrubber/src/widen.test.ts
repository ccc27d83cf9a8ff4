import { expect, test } from "vitest";
import { writePlaceholder } from "./placeholder.ts";
import { type Candidate, createScan } from "./scan.ts";
import { mergeCandidates } from "./spans.ts";
import { widenToWords } from "./widen.ts";

const one = writePlaceholder("k", "abcdefgh2345");

/** Widens the stretches of a text that are written in square marks of their own. */
function widened(marked: string): readonly string[] {
  const starts: number[] = [];
  let text = "";
  for (const char of marked) {
    if (char === "«" || char === "»") starts.push(text.length);
    else text += char;
  }
  const scan = createScan(text, false);
  const facts = { kind: "k", ruleId: "r", rank: 0, label: "k", layer: "plain" } as const;
  for (let at = 0; at < starts.length; at += 2) {
    const [start = 0, end = 0] = starts.slice(at, at + 2);
    scan.candidates.push({ ...facts, start, end, confidence: "high" } satisfies Candidate);
  }
  const wide = widenToWords(scan, mergeCandidates(scan));
  return wide.map(({ start, end, label, canonical }) => {
    expect(canonical).toBe(text.slice(start, end));
    return `${label} ${canonical}`;
  });
}

test("[SC5] after some passes what is found goes with the word that it stands in", () => {
  expect(widened("a xx«secret»yy b")).toEqual(["credential xxsecretyy"]);
  expect(widened("«secret»yy")).toEqual(["credential secretyy"]);
  expect(widened("xx«secret»")).toEqual(["credential xxsecret"]);
  expect(widened("a «secret» b")).toEqual(["k secret"]);
  expect(widened("«secret»")).toEqual(["k secret"]);
  expect(widened("x«one»y«two»z and «three»")).toEqual(["credential xoneytwoz", "k three"]);
  expect(widened("x«one»y w«two»z")).toEqual(["credential xoney", "credential wtwoz"]);
});

test.each(Array.from(` \t\r\n\f\v"'\`\\<>()[]{},;`))("[SC5] a word ends at %j", (mark) => {
  expect(widened(`aa${mark}x«secret»y${mark}bb`)).toEqual(["credential xsecrety"]);
});

test("[SC2] a word is widened up to the placeholders in it", () => {
  expect(widened(`aa${one}bb«secret»cc${one}dd${one}`)).toEqual(["credential bbsecretcc"]);
  expect(widened(`${one}${one}bb«secret»`)).toEqual(["credential bbsecret"]);
  expect(widened(`${one}«secret»${one}`)).toEqual(["k secret"]);
  expect(widened("aa__SECRET_b«secret»")).toEqual(["credential aa__SECRET_bsecret"]);
});

test("[SC4] each word is paid for", () => {
  const scan = createScan("xx«secret»yy".replaceAll(/[«»]/g, ""), false);
  const facts = { kind: "k", ruleId: "r", rank: 0, label: "k", layer: "plain" } as const;
  scan.candidates.push({ ...facts, start: 2, end: 8, confidence: "high" });
  const before = scan.work;
  widenToWords(scan, mergeCandidates(scan));
  expect(scan.work - before).toBe(10);
});
