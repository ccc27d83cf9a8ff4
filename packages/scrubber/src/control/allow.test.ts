import { expect, test } from "vitest";
import { type Candidate, createScan } from "../scan.ts";
import { type Allow, allowEntriesMax, compileAllow, faultsOfAllow, spansToTake } from "./allow.ts";

const text = "0123456789abcdefghij";

function found(start: number, end: number, more: Partial<Candidate> = {}): Candidate {
  const facts = { kind: "k", ruleId: "r", rank: 100, label: "k" } as const;
  return { start, end, ...facts, confidence: "high", layer: "plain", ...more };
}

/** What goes of the candidates in a text whose tags are its own words. */
function taken(
  candidates: readonly Candidate[],
  allow: Allow,
  { path, within = text }: { path?: string; within?: string } = {},
): readonly string[] {
  const scan = createScan(within, false);
  scan.candidates.push(...candidates);
  const tagOf = (canonical: string, isGuessable?: boolean): string =>
    (isGuessable === true ? "g" : "t").padEnd(12, canonical.replaceAll(/[^a-z2-7]/g, "a"));
  const hint = path === undefined ? {} : { path };
  return spansToTake(scan, compileAllow(allow), { tagOf, hint }).map(
    ({ start, end, kind }) => `${start}-${end} ${kind}`,
  );
}

test("[SC16] what is of an allowed kind stays, and so does what is weaker within it", () => {
  const strong = found(2, 9, { kind: "kept" });
  const allow = { kinds: ["kept"] };
  expect(taken([strong], {})).toEqual(["2-9 kept"]);
  expect(taken([strong], allow)).toEqual([]);
  expect(taken([found(2, 9)], allow)).toEqual(["2-9 k"]);
  expect(taken([strong, found(2, 9, { rank: 99, ruleId: "weak" })], allow)).toEqual([]);
  expect(taken([strong, found(3, 8, { rank: 100, ruleId: "weak" })], allow)).toEqual([]);
  expect(taken([strong, found(2, 8, { rank: 1, ruleId: "weak" })], allow)).toEqual([]);
});

test("[SC16] a stronger find inside what is allowed goes, and one that reaches beyond it", () => {
  const kept = found(2, 9, { kind: "kept" });
  const allow = { kinds: ["kept"] };
  expect(taken([kept, found(4, 6, { rank: 101, ruleId: "strong" })], allow)).toEqual(["4-6 k"]);
  expect(taken([kept, found(4, 12, { rank: 50, ruleId: "far" })], allow)).toEqual(["4-12 k"]);
  expect(taken([kept, found(12, 15)], allow)).toEqual(["12-15 k"]);
  expect(taken([found(0, 1), kept, found(12, 15), found(16, 18, { kind: "kept" })], allow)).toEqual(
    ["0-1 k", "12-15 k"],
  );
});

test("[SC16] an allowed value stays with all that was found in it", () => {
  const allow = { tags: ["t23456723456"] };
  const tagged = found(2, 8);
  expect(taken([tagged], allow)).toEqual([]);
  expect(taken([found(2, 8, { isGuessable: true })], allow)).toEqual(["2-8 k"]);
  expect(taken([found(2, 9)], allow)).toEqual(["2-9 k"]);
  expect(taken([tagged, found(3, 5, { rank: 999, ruleId: "other" })], allow)).toEqual([]);
  expect(taken([tagged, found(3, 5, { kind: "literal", ruleId: "literal" })], allow)).toEqual([
    "3-5 literal",
  ]);
  expect(taken([tagged, found(3, 5, { kind: "private", ruleId: "private" })], allow)).toEqual([
    "3-5 private",
  ]);
});

test("[SC16] what a person has marked or named goes, whatever is allowed", () => {
  const allow = { kinds: ["kept"], paths: ["**/*.md"] };
  const path = "docs/a.md";
  expect(taken([found(2, 9)], allow, { path })).toEqual([]);
  expect(taken([found(2, 9)], allow, { path: "docs/a.ts" })).toEqual(["2-9 k"]);
  for (const kind of ["private", "withheld", "placeholder", "literal"]) {
    expect(taken([found(2, 9, { kind })], allow, { path })).toEqual([`2-9 ${kind}`]);
  }
  expect(taken([found(2, 9, { kind: "private" })], { kinds: ["private"] })).toEqual([
    "2-9 private",
  ]);
});

test("[SC16] a rule of the user's own does not pass off a known secret as what is allowed", () => {
  const own = found(2, 9, { kind: "kept", ruleId: "user:mine", rank: 900 });
  const allow = { kinds: ["kept"] };
  expect(taken([own], allow)).toEqual([]);
  expect(taken([own, found(2, 9, { ruleId: "known" })], allow)).toEqual(["2-9 k"]);
  expect(taken([own, found(2, 9, { ruleId: "user:other" })], allow)).toEqual([]);
});

test("[SC16] an escape before what is allowed belongs to it", () => {
  const within = String.raw`ab\ncdefgh`;
  const kept = found(3, 8, { kind: "kept" });
  expect(taken([kept], {}, { within })).toEqual(["2-8 kept"]);
  expect(taken([kept], { kinds: ["kept"] }, { within })).toEqual([]);
});

test("[SC16] a list has an end, and entries that are what they should be", () => {
  const of = (allow: Allow): readonly string[] => faultsOfAllow(allow).map(({ where }) => where);
  const tag = "abcdefgh2345";
  for (const good of [tag, `${tag}__`, `__SECRET_k_${tag}__`, `__SECRET_a_b1_${tag}`]) {
    expect(of({ tags: [good] })).toEqual([]);
  }
  for (const bad of [
    tag.slice(1),
    `${tag}a`,
    `x ${tag}`,
    `${tag}_`,
    `__SECRET_${tag}`,
    `${tag}__ x`,
  ]) {
    expect([bad, of({ tags: [tag, bad] })]).toEqual([bad, ["allow.tags[1]"]]);
  }
  expect(of({ kinds: ["a", "a_b2"] })).toEqual([]);
  expect(of({ kinds: ["A", "a__b", "_a", "a_", "a-b", ""] })).toHaveLength(6);
  expect(of({ kinds: ["private", "withheld", "placeholder"] })).toHaveLength(3);
  expect(of({ paths: ["a/**", "x".repeat(256)] })).toEqual([]);
  expect(of({ paths: [" ", "x".repeat(257)] })).toEqual(["allow.paths[0]", "allow.paths[1]"]);
  const many = Array.from({ length: allowEntriesMax }, () => "kind");
  expect([of({ kinds: many }), of({ kinds: [...many, "kind"] })]).toEqual([[], ["allow.kinds"]]);
  for (const fault of faultsOfAllow({
    tags: ["?"],
    kinds: ["?", "private", ...many],
    paths: [""],
  })) {
    expect(fault.message).not.toBe("");
    expect(fault.hint).not.toBe("");
  }
});

test("[SC16] a list that allows nothing is none", () => {
  expect(compileAllow({})).toBeUndefined();
  expect(compileAllow({ tags: [], kinds: [], paths: [] })).toBeUndefined();
  const tag = "abcdefgh2345";
  expect(compileAllow({ tags: [`__SECRET_k_${tag}__`] })?.tags).toEqual(new Set([tag]));
  expect(compileAllow({ kinds: ["a"] })).toMatchObject({ kinds: new Set(["a"]), paths: [] });
  expect(compileAllow({ paths: ["a"] })?.tags.size).toBe(0);
});
