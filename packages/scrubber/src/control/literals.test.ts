import { expect, test } from "vitest";
import { createScan } from "../scan.ts";
import { compileRules } from "../compile.ts";
import { runPass } from "../pass.ts";
import { faultsOfLiterals, literalsMax, scanBareLiterals, searchLiterals } from "./literals.ts";

/** The layers in which a text has a literal, in the order of their places. */
function layersIn(text: string, literals: readonly string[]): readonly string[] {
  const search = searchLiterals(literals);
  const rules = compileRules(search.rules);
  if (!rules.ok) throw new Error(rules.error.kind);
  const scan = createScan(text, false);
  runPass(scan, rules.value);
  scanBareLiterals(scan, search);
  return scan.candidates
    .toSorted((left, right) => left.start - right.start)
    .map(({ start, end, layer, ...rest }) => {
      expect(rest).toMatchObject({ kind: "literal", label: "literal", ruleId: "literal" });
      expect(rest).toMatchObject({ rank: 400, confidence: "high", isGuessable: true });
      expect(literals).toContain(rest.canonical);
      return `${layer} ${text.slice(start, end)}`;
    });
}

test("[SC14] a literal is found in each way that it is written", () => {
  const literal = 'é "b" c';
  expect(layersIn(`x ${literal} y`, [literal])).toEqual([`plain ${literal}`]);
  const json = JSON.stringify(literal).slice(1, -1);
  expect(layersIn(json, [literal])).toEqual([`json ${json}`]);
  const twice = JSON.stringify(json).slice(1, -1);
  expect(layersIn(twice, [literal])).toEqual([`json ${twice}`]);
  const ascii = String.raw`\u00e9 \"b\" c`;
  expect(layersIn(ascii, [literal])).toEqual([`json ${ascii}`]);
  const percent = "%C3%A9%20%22b%22%20c";
  for (const written of [percent, percent.toLowerCase(), percent.replaceAll("%20", "+")]) {
    expect(layersIn(written, [literal])).toEqual([`percent ${written}`]);
  }
  expect(layersIn('é "B" c', [literal])).toEqual([]);
});

test("[SC14] a literal lies in a text as a whole, at its start, its end and twice", () => {
  expect(layersIn("acme acmf acme", ["acme"])).toEqual(["plain acme", "plain acme"]);
  expect(layersIn("acm", ["acme"])).toEqual([]);
  expect(layersIn("éabacme ab", ["éabacme"])).toEqual(["plain éabacme"]);
  expect(layersIn("abacme", ["éabacme"])).toEqual([]);
  expect(layersIn("ab-éabacmes", ["ab-éabacmes"])).toEqual(["plain ab-éabacmes"]);
  expect(layersIn("acme-customer-one", ["acme-customer-two"])).toEqual([]);
});

test("[SC14] a literal that no anchor stands for is searched for by its first character", () => {
  const literals = ["山田太郎", "山田花子"];
  expect(searchLiterals(literals).bare.get("山".charCodeAt(0))).toHaveLength(2);
  expect(layersIn("山田花子と山田太郎と山田", literals)).toEqual([
    "plain 山田花子",
    "plain 山田太郎",
  ]);
  const scan = createScan("山田花子", false);
  scanBareLiterals(scan, searchLiterals(literals));
  expect(scan.work).toBe(4 + 4 + 8);
  const idle = createScan("acme", false);
  scanBareLiterals(idle, searchLiterals(["acme"]));
  expect(idle.work).toBe(4);
});

test("[SC14] half of a pair of code units is a literal, though no URL holds it", () => {
  expect(layersIn("ab\ud83dcd", ["ab\ud83dcd"])).toEqual(["plain ab\ud83dcd"]);
});

test("[SC14] a number among literals is known for what JSON writes without quotes", () => {
  const has = (...literals: readonly string[]): boolean => searchLiterals(literals).hasNumber;
  expect([has("4815"), has("-48.15"), has("acme", "4815")]).toEqual([true, true, true]);
  expect([has("acme"), has("4815a"), has("a4815"), has()]).toEqual([false, false, false, false]);
});

test("[SC14] literals have a length and an end, and no fault quotes one", () => {
  const of = (...literals: readonly string[]): readonly string[] =>
    faultsOfLiterals(literals).map(({ where }) => where);
  expect(of("abcd", "x".repeat(512))).toEqual([]);
  expect(of("abc", " abc ", "", "x".repeat(513))).toHaveLength(4);
  const many = Array.from({ length: literalsMax }, () => "abcd");
  expect([of(...many), of(...many, "abcd")]).toEqual([[], ["literals"]]);
  for (const { message, hint } of faultsOfLiterals([...many, "qzx"])) {
    expect([message, hint]).not.toContain("");
    expect(message + hint).not.toContain("qzx");
  }
});
