import fc from "fast-check";
import { expect, test } from "vitest";
import { targets } from "./targets.ts";

/** As many as take a few seconds; `npm run fuzz` tries each target for a minute. */
const inputs = 250;

test.each(targets.map(({ rules, name, property }) => [rules, name, property] as const))(
  "%s what is promised of %s holds for inputs that nobody wrote",
  (_rules, _name, property) => {
    const result = fc.check(property, { seed: 20_261_122, numRuns: inputs });
    expect([result.failed, result.errorInstance, result.counterexample]).toEqual([
      false,
      null,
      null,
    ]);
  },
);
