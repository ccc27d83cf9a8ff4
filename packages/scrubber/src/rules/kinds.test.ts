import { describe, expect, test } from "vitest";
import { catalog } from "../catalog.ts";
import { compileRules } from "../compile.ts";
import { namedKinds } from "../named-kinds.ts";
import { testScrubber } from "../testing/fakes.ts";
import { kindCases } from "../testing/kind-cases.ts";
import { urlPasswordKinds } from "./url-password-kinds.ts";
import { idRules } from "./personal-ids.ts";
import { placeRules } from "./personal-places.ts";

const scrubber = testScrubber();
const seeds = [7, 1303];
const secretKinds: ReadonlySet<string> = new Set([
  ...[...catalog, ...namedKinds()].map(({ kind }) => kind),
  ...urlPasswordKinds.values(),
]);

describe.each(kindCases.map((each) => [`${each.kind}, ${each.title}`, each] as const))(
  "%s",
  (_title, each) => {
    test("[SC1] is taken out wherever it stands, and called by its kind", () => {
      for (const seed of seeds) {
        for (const [text, secret] of each.positive(seed)) {
          const found = scrubber.scrub(text);
          expect(found.text, `in ${text}`).not.toContain(secret);
          const called = found.findings.filter(({ kind }) => kind === each.kind);
          expect(called.length, `in ${text}`).toBeGreaterThan(0);
          if (each.hasVendor) expect(called[0]?.confidence, `in ${text}`).toBe("high");
          expect(scrubber.scrub(found.text)).toEqual({ text: found.text, findings: [] });
        }
      }
    });

    test("[SC10] what looks like it is not called so", () => {
      for (const seed of seeds) {
        for (const [fault, text] of Object.entries(each.negative(seed))) {
          const { findings } = scrubber.scrub(text);
          const called = findings.filter(
            ({ ruleId, kind, confidence }) =>
              ruleId === each.ruleId &&
              kind === each.kind &&
              (confidence === "high" || !each.hasVendor),
          );
          expect(called, `${fault}: ${text}`).toEqual([]);
        }
      }
    });
  },
);

test("[SC13] every kind has a case of its own, a priority and a source", () => {
  const cased = new Set(kindCases.map(({ kind }) => kind));
  expect([...secretKinds].filter((kind) => !cased.has(kind))).toEqual([
    "placeholder",
    "credential",
  ]);
  for (const { kind, source } of [...catalog, ...namedKinds(), ...idRules(), ...placeRules()]) {
    expect(source, `of ${kind}`).toMatch(/^https:\/\/\S+$|^[a-z][^.]{20,}/);
  }
});

test("[SC4] shapes of values and numbers are of the subset that one walk decides", () => {
  const shaped = [...namedKinds(), ...idRules()].flatMap(({ shapes, ...facts }) =>
    shapes.map((body) => ({ ...facts, body, id: facts.kind, anchor: "ab" })),
  );
  const refused = shaped.filter((rule) => !compileRules([rule]).ok);
  expect(refused.map(({ kind, body }) => [kind, body])).toEqual([]);
});

test("[SC13] kinds of one name have one priority", () => {
  const priorities = new Map<string, Set<number>>();
  for (const { kind, priority } of [...catalog, ...namedKinds()]) {
    priorities.set(kind, (priorities.get(kind) ?? new Set()).add(priority));
  }
  expect([...priorities].filter(([, each]) => each.size > 1)).toEqual([]);
});

test("[SC13] the catalogue knows at least 200 kinds of secrets and 15 of personal data", () => {
  expect(secretKinds.size).toBeGreaterThanOrEqual(200);
  expect(idRules().length + placeRules().length).toBeGreaterThanOrEqual(15);
});
