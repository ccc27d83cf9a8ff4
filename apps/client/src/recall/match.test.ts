import fc from "fast-check";
import { expect, test } from "vitest";
import { testStore } from "../store/testing/test-store.ts";
import { matchOf, queryWordsMax } from "./match.ts";

test("[RC1] words are quoted and joined by OR, stop words dropped", () => {
  expect(matchOf("How do I fix the flaky login test?")).toBe(
    '"fix" OR "flaky" OR "login" OR "test"',
  );
});

test("[RC1] a path or dotted name is one phrase", () => {
  expect(matchOf("src/auth.ts")).toBe('"src auth ts"');
  expect(matchOf("user.session_id")).toBe('"user session id"');
});

test("[RC1] a query of stop words alone still searches", () => {
  expect(matchOf("to be or not to be")).toBe('"to" OR "be" OR "or" OR "not"');
});

test.each(["", "   ", "???", "--", '"""', "🎉", "-", "*", "()"])(
  "[RC1] %j searches nothing",
  (query) => {
    expect(matchOf(query)).toBeUndefined();
  },
);

test("[RC1] a long query is cut", () => {
  const query = Array.from({ length: 200 }, (_, index) => `w${index}`).join(" ");
  expect(matchOf(query)?.split(" OR ").length).toBe(queryWordsMax);
});

test("[RC1] no input makes the index raise an error (abuse 105)", () => {
  const store = testStore();
  for (const hostile of [
    "' & | ! :* <-> ()\"",
    '"'.repeat(512),
    `${'"'.repeat(511)}a`,
    "a\u0000b",
  ]) {
    const match = matchOf(hostile);
    if (match !== undefined) store.reads.search(match, {});
  }
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.constantFrom("C++", "-x", "don't", "100%", "AND", "a AND", "NEAR(", "col:x", "x*", "^x"),
      ),
      (query) => {
        const match = matchOf(query);
        if (match !== undefined) store.reads.search(match, {});
      },
    ),
    { numRuns: 500, seed: 20261121 },
  );
  store.close();
});
