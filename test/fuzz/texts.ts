import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { kindCases } from "../../packages/scrubber/src/testing/kind-cases.ts";
import { personalCases } from "../../packages/scrubber/src/testing/personal-cases.ts";
import { mutations } from "./mutations.ts";

/** Most characters of a recorded session that one sample is. */
const pieceCharsMax = 3000;
/** Most that a mutated text grows to; what goes on a text of this length is cut off. */
const textCharsMax = 20_000;
const seedMax = 500;

const recorded: readonly string[] = recordedPieces();

/** Texts as they are met: what kinds of secrets and their look-alikes stand in, recorded sessions. */
const samples: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fromCases((seed, at) => positives(at, seed)) },
  { weight: 2, arbitrary: fromCases((seed, at) => negatives(at, seed)) },
  { weight: 1, arbitrary: fc.constantFrom(...personalCases.flatMap(personalTexts)) },
  { weight: 2, arbitrary: fc.constantFrom(...recorded) },
);

/**
 * Texts that no one wrote: up to three samples, and up to eight mutations of them. A failing one
 * shrinks to fewer mutations of earlier samples.
 */
export const texts: fc.Arbitrary<string> = fc
  .record({
    parts: fc.array(samples, { minLength: 1, maxLength: 3 }),
    steps: fc.array(
      fc.record({
        mutation: fc.constantFrom(...mutations),
        at: fc.nat(),
        count: fc.nat(),
        other: samples,
      }),
      { maxLength: 8 },
    ),
  })
  .map(({ parts, steps }) => {
    let text = parts.join("\n");
    for (const { mutation, at, count, other } of steps) {
      text = mutation(text, { at: at % (text.length + 1), count, other }).slice(0, textCharsMax);
    }
    return text;
  });

/** A text that holds a secret whose vendor's form alone gives it away, and the secret. */
export const planted: fc.Arbitrary<{ readonly text: string; readonly secret: string }> = fc
  .record({
    at: fc.nat(kindCases.length - 1),
    seed: fc.nat(seedMax),
    context: fc.nat(),
  })
  .map(({ at, seed, context }) => {
    const { hasVendor, positive } = caseAt(at);
    const pairs = hasVendor === true ? positive(seed) : [];
    const pair = pairs[context % Math.max(1, pairs.length)];
    return pair === undefined ? { text: "", secret: "" } : { text: pair[0], secret: pair[1] };
  })
  .filter(({ secret }) => secret !== "");

function fromCases(read: (seed: number, at: number) => readonly string[]): fc.Arbitrary<string> {
  return fc
    .record({ at: fc.nat(kindCases.length - 1), seed: fc.nat(seedMax), which: fc.nat() })
    .map(({ at, seed, which }) => {
      const all = read(seed, at);
      return all[which % Math.max(1, all.length)] ?? "";
    });
}

function positives(at: number, seed: number): readonly string[] {
  return caseAt(at)
    .positive(seed)
    .map(([text]) => text);
}

function negatives(at: number, seed: number): readonly string[] {
  return Object.values(caseAt(at).negative(seed));
}

function caseAt(at: number): (typeof kindCases)[number] {
  const found = kindCases[at];
  if (found === undefined) throw new Error("there is no such case");
  return found;
}

function personalTexts({ positive }: (typeof personalCases)[number]): readonly string[] {
  return positive(1).map(([text]) => text);
}

function recordedPieces(): readonly string[] {
  const folder = join(import.meta.dirname, "..", "fixtures");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => /\.jsonl?$/.test(file))
    .toSorted()
    .flatMap((file) => pieces(readFileSync(join(folder, file), "utf8")));
}

function pieces(text: string): readonly string[] {
  const count = Math.min(40, Math.ceil(text.length / pieceCharsMax));
  return Array.from({ length: count }, (_, index) =>
    text.slice(index * pieceCharsMax, (index + 1) * pieceCharsMax),
  );
}
