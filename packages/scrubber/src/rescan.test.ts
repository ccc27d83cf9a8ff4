import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compiledCatalog } from "./compiled-catalog.ts";
import { lookThrough } from "./layers/look.ts";
import { runPass } from "./pass.ts";
import { windowsAround } from "./rescan.ts";
import { rewriteSpans } from "./rewrite.ts";
import { createScan } from "./scan.ts";
import { mergeCandidates } from "./spans.ts";
import { createTagger } from "./tagger.ts";
import { toBase64, toCodedJson, toEntities, toPercent } from "./testing/encodings.ts";
import { alnum, drawChars, fakeHmac, namedContexts, testScrubber } from "./testing/fakes.ts";
import { kindCases } from "./testing/kind-cases.ts";

const scrubber = testScrubber({ keepsJson: false });
const tagOf = createTagger(fakeHmac, fakeHmac);

/** What passes over the whole text give: the measure of passes over windows. */
function scrubWhole(text: string): { text: string; kinds: readonly string[] } {
  const look = {
    find: (scan: Parameters<typeof runPass>[0]) => runPass(scan, compiledCatalog()),
    choose: mergeCandidates,
  };
  const kinds: string[] = [];
  for (let current = text; ;) {
    const spans = lookThrough(createScan(current, false), look);
    if (spans.length === 0) return { text: current, kinds };
    const rewritten = rewriteSpans(current, spans, tagOf);
    for (const { kind } of rewritten.findings) kinds.push(kind);
    current = rewritten.text;
  }
}

const plainLines = fc.constantFrom(
  '2026-03-01T10:11:12Z INFO [worker-3] GET https://api.test/v1/users/7?page=2 200 request_id=0f3c',
  "  const token = await readToken(session, options.key ?? defaultKey); // the token is kept",
  '{"id": 7, "type": "tool_result", "max_tokens": 512, "content": "updated 3 files\\n  ok"}',
  `  "integrity": "sha512-${"Ab9+".repeat(21)}Ab=="`,
  "The password is required and must be at least 8 characters.",
); // prettier-ignore
const seeds = fc.integer({ min: 1, max: 9999 });
const snippets = fc.oneof(
  fc.tuple(fc.constantFrom(...kindCases), seeds).map(([each, seed]) => each.positive(seed)[0]?.[0] ?? ""),
  fc
    .tuple(fc.constantFrom(...Object.values(namedContexts)), fc.constantFrom("DB_PASSWORD", "api_key", "auth"), seeds)
    .map(([write, name, seed]) => write(name, drawChars(alnum, 24, seed))),
); // prettier-ignore
const wrapped = fc
  .tuple(
    snippets,
    fc.constantFrom(toBase64, toPercent, toEntities, toCodedJson, (text: string) => text),
  )
  .map(([text, write]) => write(text));
const broken = fc
  .tuple(wrapped, fc.nat(60), fc.nat(400))
  .map(([text, from, length]) => text.slice(from, from + length));
const glue = fc.constantFrom(
  "",
  "",
  '"',
  "\\n",
  " ",
  "\\",
  "=",
  ": ",
  ",",
  "%22",
  "\u001b[0m",
  "'",
  "; sid=",
);
const heaps = fc
  .tuple(fc.array(fc.oneof(wrapped, broken), { minLength: 1, maxLength: 4 }), glue)
  .map(([parts, between]) => parts.join(between));
const block = fc
  .array(plainLines, { minLength: 30, maxLength: 60 })
  .map((lines) => lines.join("\n"));
const long = fc
  .array(fc.tuple(block, heaps), { minLength: 3, maxLength: 8 })
  .map((parts) => parts.flat().join("\n"));

describe("looking again", () => {
  test("[SC2] in windows finds what a look at the whole text finds", () => {
    let windowed = 0;
    fc.assert(
      fc.property(long, (text) => {
        const whole = scrubWhole(text);
        const { text: out, findings } = scrubber.scrub(text);
        expect(out).toBe(whole.text);
        expect(findings.map(({ kind }) => kind)).toEqual(whole.kinds);
        if (windowsAround(out, [{ start: 0, end: 1, written: 1 }]) !== undefined) windowed++;
      }),
      { seed: 20_261_123, numRuns: 150 },
    );
    expect(windowed).toBeGreaterThan(100);
  });

  const lines = (count: number): string => `${"x".repeat(99)}\n`.repeat(count);

  test("[SC2] takes whole lines and what scanners see beyond them", () => {
    const text = lines(1000);
    const [window, ...others] =
      windowsAround(text, [{ start: 50_000, end: 50_010, written: 10 }]) ?? [];
    expect(others).toEqual([]);
    expect(window?.start).toBeLessThanOrEqual(50_000 - 1024);
    expect(window?.end).toBeGreaterThanOrEqual(50_010 + 1024);
    expect(text[(window?.start ?? 0) - 1]).toBe("\n");
    expect(text[window?.end ?? 0]).toBe("\n");
  });

  test("[SC2] follows edits that made the text longer or shorter, and joins neighbours", () => {
    const text = lines(2000);
    const edits = [
      { start: 20_000, end: 20_100, written: 30 },
      { start: 20_500, end: 20_510, written: 40 },
      { start: 150_000, end: 150_001, written: 41 },
    ];
    const windows = windowsAround(text, edits) ?? [];
    expect(windows).toHaveLength(2);
    const placed = 150_000 - 70 + 30;
    expect(windows[1]?.start).toBeLessThanOrEqual(placed - 1024);
    expect(windows[1]?.end).toBeGreaterThanOrEqual(placed + 41 + 1024);
  });

  test("[SC2] takes all of a short text, and of one that is full of edits", () => {
    expect(windowsAround("x".repeat(8192), [{ start: 1, end: 2, written: 3 }])).toBeUndefined();
    const many = Array.from({ length: 40 }, (_, index) => ({ start: index * 500, end: index * 500 + 9, written: 9 })); // prettier-ignore
    expect(windowsAround(lines(200), many)).toBeUndefined();
  });

  test("[SC4] costs no more than the text for edits in one long line", () => {
    const text = "x".repeat(400_000);
    const edits = Array.from({ length: 9 }, (_, index) => ({ start: 1000 + index, end: 1000 + index, written: 0 })); // prettier-ignore
    const windows = windowsAround(text, edits) ?? [];
    expect(windows).toHaveLength(1);
    expect((windows[0]?.end ?? 0) - (windows[0]?.start ?? 0)).toBeLessThan(40_000);
  });
});
