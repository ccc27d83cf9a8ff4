import fc from "fast-check";
import { expect, test } from "vitest";
import { cutPart, partLimits, tooLong } from "./content.ts";

const narrow = { unit: "characters", max: 6 } as const;

test("[CN10] what fits is told from what does not, by characters, bytes and members", () => {
  expect(tooLong("title", "x".repeat(300), partLimits.title)).toBeUndefined();
  expect(tooLong("title", "x".repeat(301), partLimits.title)).toEqual({
    kind: "too-long",
    field: "title",
    max: 300,
    unit: "characters",
  });
  expect(tooLong("narrative", "ä".repeat(8193), partLimits.narrative)?.unit).toBe("bytes");
  expect(tooLong("facts", Array(65).fill("f"), partLimits.facts)?.unit).toBe("members");
  expect(tooLong("facts", ["€".repeat(342)], partLimits.facts)?.max).toBe(1024);
});

test("[CN11] a cut is marked and leaves no half of a character or placeholder", () => {
  expect(cutPart("abcdefgh", narrow)).toBe("abcde…");
  expect(cutPart("abcd👍efg", narrow)).toBe("abcd…");
  expect(cutPart("ab __SECRET_credential_abc", { unit: "characters", max: 20 })).toBe("ab …");
  expect(cutPart(["abcdefgh", "ij", "kl"], { ...narrow, membersMax: 2 })).toEqual(["abcde…", "ij"]);
});

test("[CN11] whatever is cut fits afterwards, and what fits stays", () => {
  const limit = { unit: "bytes", max: 32, membersMax: 3 } as const;
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" })), (members) => {
      const cut = cutPart(members, limit);
      expect(tooLong("facts", cut, limit)).toBeUndefined();
      if (tooLong("facts", members, limit) === undefined) expect(cut).toEqual(members);
    }),
    { seed: 12, numRuns: 200 },
  );
});
