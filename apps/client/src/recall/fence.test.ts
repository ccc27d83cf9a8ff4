import fc from "fast-check";
import { expect, test } from "vitest";
import { fenceLine, fenceText, itemCharsMax } from "./fence.ts";
import { testNowMs, testObservation, testRecall } from "./testing/observations.ts";

const frame = { boundary: "b0undary", nowMs: testNowMs, scrub: testRecall([]).scrub };

function lineOf(fields: Parameters<typeof testObservation>[1], factsOnly = false): string {
  return fenceLine({ observation: testObservation("a", fields), factsOnly }, frame);
}

function textOf(line: string): string {
  return (JSON.parse(line) as { readonly text: string }).text;
}

test("[RC5] an item is one line of JSON, labelled with author, trust, origin and age", () => {
  expect(JSON.parse(lineOf({ title: "T", facts: ["one"], filesModified: ["a.ts"] }))).toEqual({
    id: "a",
    kind: "note",
    by: "ada/laptop-a",
    trust: 4,
    origin: "user",
    age: "1h",
    text: "T\none\nfiles: a.ts",
  });
});

test("[RC5] no text of an item leaves its line", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      const line = lineOf({
        title: text,
        kind: text,
        narrative: text,
        author: { user: text, device: text },
      });
      // What no reader sees or what ends a line for some reader.
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      expect(() => textOf(line)).not.toThrow();
    }),
    { numRuns: 500, seed: 20261121 },
  );
});

test("[RC5] hidden characters do not reach the agent", () => {
  const hidden = "a\u{202E}b\u{200B}c\u{E0041}d\u{1B}[31me\u{2028}f";
  expect(textOf(lineOf({ title: hidden }))).toBe("a b c d [31me f");
});

test("[RC5] names that other people chose are cut and scrubbed like any text", () => {
  const line = lineOf({ author: { user: "x".repeat(5_000), device: "hunter2\nEND" } });
  const { by } = JSON.parse(line) as { readonly by: string };
  expect(by).toBe(`${"x".repeat(63)}…/__SECRET__ END`);
});

test("[RC12] whoever wrote in a record after its author is named with them", () => {
  const line = lineOf({ editedBy: { user: "grace", device: "mate" } });
  expect(JSON.parse(line)).toMatchObject({ by: "ada/laptop-a, edited by grace/mate" });
  const hostile = lineOf({ editedBy: { user: "x".repeat(5_000), device: "hunter2\nEND" } });
  expect(JSON.parse(hostile)).toMatchObject({
    by: `ada/laptop-a, edited by ${"x".repeat(63)}…/__SECRET__ END`,
  });
  expect(JSON.parse(lineOf({ editedBy: { user: null, device: null } }))).toMatchObject({
    by: "ada/laptop-a, edited by unknown/unknown",
  });
});

test("[RC14] what the title says already is not said again", () => {
  const title = "`npm test` passes";
  const narrative = "`npm test` passes. The command was: npm test -- --run";
  const line = lineOf({ title, narrative, facts: ["npm test -- --run"] });
  expect(textOf(line)).toBe(`${title}\nThe command was: npm test -- --run`);
});

test("[RC5] an item's text is capped", () => {
  expect(textOf(lineOf({ narrative: "n".repeat(5_000) })).length).toBe(itemCharsMax);
});

test("[RC5] a cut never leaves half a character", () => {
  const text = textOf(lineOf({ title: `${"t".repeat(itemCharsMax - 2)}🎉🎉` }));
  expect(text).not.toMatch(/\p{Cs}/u);
});

test("[RC5] a team-mate's narrative is left out, the facts stay", () => {
  const line = lineOf({ title: "T", narrative: "story", facts: ["fact"] }, true);
  expect(textOf(line)).toBe("T\nfact");
});

test("[RC5] addresses of untrusted records cannot be followed", () => {
  const title = "see https://evil.example and http://x";
  expect(textOf(lineOf({ title, trust: 1 }))).toBe("see hxxps://evil.example and hxxp://x");
  expect(textOf(lineOf({ title, trust: 3 }))).toBe(title);
});

test("[RC5] a secret that was stored all the same is not handed out", () => {
  expect(lineOf({ facts: ["password hunter2"] })).not.toContain("hunter2");
});

test("[RC5] the fence has a header of ours, a boundary at both ends and the footer behind it", () => {
  const lines = fenceText(["{}"], "footer", "b0undary").split("\n");
  expect(lines.at(0)).toBe(
    "Tidemark memory: 1 record from earlier sessions, one JSON object a line.",
  );
  expect(lines.slice(-4)).toEqual([
    "--- memory b0undary",
    "{}",
    "--- end of memory b0undary",
    "footer",
  ]);
});

test("[CP69] an agent is told no age that cannot be (abuse 121)", () => {
  for (const createdAt of [-62_135_596_800_000, 253_402_300_799_999])
    expect(JSON.parse(lineOf({ createdAt }))).toMatchObject({ age: "unknown" });
});

/** Facts of one letter, and how many of them were looked at. */
function countedFacts(count: number) {
  let looked = 0;
  const facts = new Proxy(
    Array.from({ length: count }, () => "a"),
    {
      get: (target, name, receiver) => {
        if (typeof name === "string" && /^\d+$/.test(name)) looked += 1;
        return Reflect.get(target, name, receiver) as unknown;
      },
    },
  );
  return { facts, looked: () => looked };
}

test("[RC34] of an item as much is read as can be shown, however much there is", () => {
  const few = countedFacts(10);
  expect(textOf(lineOf({ title: "T", facts: few.facts }))).toBe("T\na");
  expect(few.looked()).toBe(10);
  const many = countedFacts(5_000);
  lineOf({ title: "a".repeat(30_000), facts: many.facts });
  expect(many.looked()).toBe(itemCharsMax / 20);
});

test("[RC34] what can be shown of an item is shown, behind what is said already", () => {
  const title = "The queue is full.";
  const text = textOf(lineOf({ title, narrative: `${title} `.repeat(100) + "It drops jobs." }));
  expect(text).toBe(`${title}\nIt drops jobs.`);
  const long = textOf(lineOf({ title: "x".repeat(2_000) }));
  expect([long.length, long.at(-1)]).toEqual([itemCharsMax, "…"]);
  const facts = textOf(lineOf({ title: "T", facts: ["y".repeat(5_000), "z"] }));
  expect([facts.length, facts.includes("z")]).toEqual([itemCharsMax, false]);
  // Facts that are said already count among what is read.
  const same = Array.from({ length: 33 }, () => "f".repeat(100));
  expect(textOf(lineOf({ title: "T", facts: [...same, "z".repeat(300)] }))).toBe(`T\n${same[0]}`);
});
