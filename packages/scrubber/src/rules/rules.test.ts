import { describe, expect, test } from "vitest";
import { catalog } from "../catalog.ts";
import type { TokenRule } from "../rule.ts";
import { bareContexts, drawToken, testScrubber } from "../testing/fakes.ts";

const scrubber = testScrubber();
const tokenRules = catalog.filter((rule): rule is TokenRule => !("scan" in rule));

describe.each(tokenRules.map((rule) => [rule.id, rule] as const))("token rule %s", (_id, rule) => {
  test("[SC1] a token it describes is taken out in every context", () => {
    for (const [context, write] of Object.entries(bareContexts)) {
      for (let seed = 1; seed <= 3; seed++) {
        const secret = drawToken(rule, seed * 7919);
        const { text, findings } = scrubber.scrub(write(secret));
        expect(text, `${context}: ${write(secret)}`).not.toContain(secret);
        expect(findings.length).toBeGreaterThan(0);
        expect(text).toBe(scrubber.scrub(text).text);
      }
    }
  });

  test("[SC3] it has one placeholder wherever it stands", () => {
    const secret = drawToken(rule, 104_729);
    const seen = Object.values(bareContexts).map(
      (write) => /__SECRET_\w+?__(?!_)/.exec(scrubber.scrub(write(secret)).text)?.[0],
    );
    expect(new Set(seen).size).toBe(1);
  });

  test("[SC10] it keeps stand-ins, and tokens glued to a word", () => {
    const filler = (char: string): string =>
      drawToken(rule, 3).replace(/[^]*/, () => shape(rule, char));
    const standIn = `see ${filler("x")} there`;
    expect(scrubber.scrub(standIn).text).toBe(standIn);
  });
});

/** The token with every drawn character replaced by one and the same. */
function shape(rule: TokenRule, char: string): string {
  const before = rule.before === undefined ? "" : char.repeat(rule.before.min);
  const body = rule.body.map((part) => (typeof part === "string" ? part : char.repeat(part.min)));
  return before + rule.anchor + body.join("");
}

test("[SC4] every anchor and kind is unique to a rule or shared on purpose", () => {
  const ids = catalog.map((rule) => rule.id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});
