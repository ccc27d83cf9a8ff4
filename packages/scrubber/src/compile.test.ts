import { expect, test } from "vitest";
import { compileRules } from "./compile.ts";
import { runPass } from "./pass.ts";
import { openMax, run, type ScannerRule, type TokenRule } from "./rule.ts";
import { createScan } from "./scan.ts";

const facts = { id: "r", kind: "k", priority: 2, source: "a test" } as const;
const sound: TokenRule = { ...facts, anchor: "abc-", body: [run("digit", 4, 8)] };

test.each([
  ["an anchor of one character", { anchor: "a" }, "anchor"],
  ["an anchor that cannot be printed", { anchor: "ab\u0007" }, "anchor"],
  ["a kind that a placeholder cannot carry", { kind: "Has__two" }, "kind"],
  ["an empty body", { body: [] }, "empty"],
  ["a run without an end", { body: [run("digit", 1, 1e9)] }, "bounds"],
  ["a run whose bounds cross", { body: [run("digit", 5, 4)] }, "bounds"],
  ["a run that eats into the next run", { body: [run("alnum", 1, 9), run("hex", 4)] }, "overlap"],
  ["a run that eats into the next literal", { body: [run("word", 1, 9), "-x"] }, "overlap"],
] as const)("[SC4] the compiler refuses %s (abuse 124)", (_name, change, kind) => {
  const result = compileRules([{ ...sound, ...change }]);
  expect(result).toEqual({ ok: false, error: { ruleId: "r", kind } });
});

test("[SC4] the compiler takes runs that one forward walk decides", () => {
  const body = [run("alnum", 4), run("hex", 4), "-", run("digit", 1, 9), "x"];
  expect(compileRules([{ ...sound, body }]).ok).toBe(true);
});

const scanner: ScannerRule = { ...facts, anchors: ["ab", "cd"], scan: () => undefined };

test.each([
  ["an anchor of two characters", { anchor: "ab" }],
  ["an anchor of forty", { anchor: "a".repeat(40) }],
  ["an anchor in another script", { anchor: "密码" }],
  ["a kind of words and numbers", { kind: "aws_s3_key2" }],
  ["a run that may be nothing", { body: [run("digit", 0, 8)] }],
  ["a run as long as any", { body: [run("digit", 1, openMax)] }],
  ["what stands before the anchor", { before: run("digit", 1, 4) }],
  ["a literal after a literal", { body: ["ab", "cd"] }],
  ["a run of one length before what it could hold", { body: [run("alnum", 4), "a"] }],
  ["a run before what it cannot hold", { body: [run("digit", 1, 9), run("lower", 1, 9), "-"] }],
] as const)("[SC4] the compiler takes %s", (_name, change) => {
  expect(compileRules([{ ...sound, ...change }]).ok).toBe(true);
});

test.each([
  ["an anchor of 41 characters", { anchor: "a".repeat(41) }, "anchor"],
  ["an anchor of half a character", { anchor: "ab\ud83d\ude00" }, "anchor"],
  ["a kind with a mark at its end", { kind: "key_" }, "kind"],
  ["a kind with a mark before it", { kind: "_key" }, "kind"],
  ["a run of less than nothing", { body: [run("digit", -1, 4)] }, "bounds"],
  ["a run longer than any", { body: [run("digit", 1, openMax + 1)] }, "bounds"],
  ["what stands before the anchor without an end", { before: run("digit", 1, 1e9) }, "bounds"],
  ["a run before a literal of nothing", { body: [run("digit", 1, 4), ""] }, "overlap"],
] as const)("[SC4] the compiler refuses %s too", (_name, change, kind) => {
  const result = compileRules([sound, { ...sound, id: "second", ...change }]);
  expect(result).toEqual({ ok: false, error: { ruleId: "second", kind } });
});

test("[SC4] a scanner needs anchors, each of them printable", () => {
  expect(compileRules([scanner]).ok).toBe(true);
  const refused = (anchors: readonly string[]): unknown => compileRules([{ ...scanner, anchors }]);
  expect(refused([])).toEqual({ ok: false, error: { ruleId: "r", kind: "empty" } });
  expect(refused(["ab", "c"])).toEqual({ ok: false, error: { ruleId: "r", kind: "anchor" } });
});

test("[SC1] rules with one anchor are each tried there, a token at its whole anchor", () => {
  const met: string[] = [];
  const note = (id: string): ScannerRule => ({
    ...scanner,
    id,
    anchors: ["Long-Anchor-", "other"],
    scan: (_, { start, end, rule }) => met.push(`${rule.id} ${start}-${end}`),
  });
  const token: TokenRule = { ...sound, anchor: "long-anchor-", require: () => true };
  const rules = compileRules([note("one"), token, note("two")]);
  if (!rules.ok) throw new Error(rules.error.kind);
  const scan = createScan("a long-anchor-1234 OTHER long-anch", false);
  runPass(scan, rules.value);
  expect(met).toEqual(["one 2-14", "two 2-14", "one 19-24", "two 19-24"]);
  expect(scan.candidates.map(({ start, end }) => [start, end])).toEqual([[2, 18]]);
});

test("[SC10] a scan for shapes alone leaves out what needs its surroundings", () => {
  const met: string[] = [];
  const note = (id: string, contextual?: boolean): ScannerRule => ({
    ...scanner,
    id,
    ...(contextual === undefined ? {} : { contextual }),
    scan: () => met.push(id),
  });
  const rules = compileRules([note("shape"), note("context", true), note("told", false)]);
  if (!rules.ok) throw new Error(rules.error.kind);
  runPass(createScan("ab", true), rules.value);
  expect(met).toEqual(["shape", "told"]);
  met.length = 0;
  runPass(createScan("ab", false), rules.value);
  expect(met).toEqual(["shape", "context", "told"]);
});

test("[SC4] a plan has room for 32,767 states and 128 characters beyond ASCII", () => {
  const foreign = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => String.fromCharCode(0x4e00 + index).repeat(2));
  expect(compileRules([{ ...scanner, anchors: foreign(128) }]).ok).toBe(true);
  expect(() => compileRules([{ ...scanner, anchors: foreign(129) }])).toThrow("beyond ASCII");
  const long = (count: number): string[] =>
    Array.from(
      { length: count },
      (_, index) => `${String(index).padStart(5, "0")}${"x".repeat(34)}`,
    );
  expect(() => compileRules([{ ...scanner, anchors: long(1200) }])).toThrow("too many states");
});
