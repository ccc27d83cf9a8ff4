import { expect, test } from "vitest";
import { compileRules } from "./compile.ts";
import { run, type TokenRule } from "./rule.ts";

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
