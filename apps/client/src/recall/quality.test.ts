import fc from "fast-check";
import { expect, test } from "vitest";
import { qualityOf } from "./quality.ts";
import { scoreOf } from "./score.ts";
import { testNowMs, testObservation } from "./testing/observations.ts";

const edit = testObservation("a", {
  kind: "change",
  origin: "agent",
  title: "Changed parse in src/url.ts",
  narrative: "Changed parse in src/url.ts.",
});

test("[RC23] what gives a reason, facts and files says more than a bare edit", () => {
  const told = {
    ...edit,
    narrative: "Changed parse in src/url.ts. The agent said: URLs without a scheme fail because …",
    facts: ["src/url.ts: Changed parse", "src/url.test.ts: Added a case"],
    filesModified: ["src/url.ts"],
  };
  expect(qualityOf(edit)).toBeCloseTo(0.1);
  expect(qualityOf(told)).toBeCloseTo(0.7);
  expect(scoreOf(told, testNowMs).value).toBeGreaterThan(scoreOf(edit, testNowMs).value);
});

test("[RC23] a person's few words are not bare", () => {
  const note = testObservation("n", { kind: "note", narrative: "Title of n", origin: "user" });
  expect(qualityOf(note)).toBeGreaterThan(qualityOf({ ...note, origin: "agent" }));
});

test("[RC23] quality lies between 0 and 1, and a fact more never lowers it", () => {
  const text = fc.string({ maxLength: 60 });
  const arbitrary = fc.record({
    kind: fc.constantFrom("change", "fix", "note", "request", "other"),
    origin: fc.constantFrom("user" as const, "agent" as const, "tool" as const, "web" as const),
    title: text,
    narrative: text,
    facts: fc.array(text, { maxLength: 4 }),
  });
  fc.assert(
    fc.property(arbitrary, text, (fields, fact) => {
      const observation = testObservation("x", fields);
      const more = { ...observation, facts: [...observation.facts, fact] };
      const quality = qualityOf(observation);
      return quality >= 0 && quality <= 1 && qualityOf(more) >= quality;
    }),
    { seed: 22, numRuns: 300 },
  );
});
