import fc from "fast-check";
import { expect, test } from "vitest";
import type { Finding } from "../finding.ts";
import {
  alnum,
  bareContexts,
  base64,
  drawChars,
  namedContexts,
  seededRandom,
  testScrubber,
} from "../testing/fakes.ts";
import { createScrubStream, scrubStream, type StreamOptions } from "./scrub-stream.ts";

const scrubber = testScrubber();
const stretchChars = 2_048;

/** A text as a long session leaves it: logs, code, JSON lines, keys, and what is private. */
function drawText(seed: number, charsMin: number): string {
  const next = seededRandom(seed);
  const pick = <T>(list: readonly [T, ...T[]]): T =>
    list[Math.floor(next() * list.length)] ?? list[0];
  const number = (): number => Math.floor(next() * 1e6);
  const named = listOf(namedContexts);
  const bare = listOf(bareContexts);
  const pieces: readonly [() => string, ...(() => string)[]] = [
    () => `2026-01-01T00:00:00Z INFO request ${number()} took ${number()} ms\n`.repeat(6),
    () => `  const total${number()} = items.reduce((sum, each) => sum + each.size, 0);\n`.repeat(4),
    () => `${JSON.stringify({ id: number(), text: "x".repeat(200), list: [1, 2, 3] })}\n`,
    () => `${pick(named)("DB_PASSWORD", drawChars(alnum, 16, number()))}\n`,
    () => `${pick(bare)(`ghp_${drawChars(alnum, 36, number())}`)}\n`,
    () => `${keyBlock(number(), 8 + Math.floor(next() * 40))}\n`,
    () => `<private>${"between us\n".repeat(1 + Math.floor(next() * 300))}</private>\n`,
    () => "naïve 山田 \u{1F511} words, and more of them. ".repeat(5),
  ];
  let text = "";
  while (text.length < charsMin) text += pick(pieces)();
  return text;
}

function listOf<T>(table: Readonly<Record<string, T>>): readonly [T, ...T[]] {
  return Object.values(table) as [T, ...T[]];
}

function keyBlock(seed: number, lines: number): string {
  const label = ["-----BEGIN RSA", "PRIVATE KEY-----"].join(" ");
  const body = Array.from({ length: lines }, (_, index) => drawChars(base64, 64, seed + index));
  return [label, ...body, label.replace("BEGIN", "END")].join("\n");
}

interface Streamed {
  readonly text: string;
  readonly findings: readonly Finding[];
  readonly heldMax: number;
}

function stream(text: string, sizes: readonly number[], options: StreamOptions = {}): Streamed {
  const findings: Finding[] = [];
  const onFinding = (found: Finding): void => void findings.push(found);
  const open = createScrubStream(scrubber, { stretchChars, onFinding, ...options });
  let out = "";
  let heldMax = 0;
  let turn = 0;
  for (let at = 0; at < text.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    const ready = open.write(text.slice(at, at + size));
    at += size;
    out += ready;
    heldMax = Math.max(heldMax, at - out.length);
  }
  return { text: out + open.end(), findings, heldMax };
}

test("[SC17] a stream is the whole text scrubbed, whatever pieces it comes in", () => {
  fc.assert(
    fc.property(
      fc.nat(1_000_000),
      fc.array(fc.integer({ min: 1, max: 9_000 }), { minLength: 1, maxLength: 12 }),
      (seed, sizes) => {
        const text = drawText(seed, 50_000);
        expect(stream(text, sizes, { stretchChars: 6_000 }).text).toBe(scrubber.scrub(text).text);
      },
    ),
    { numRuns: 4, seed: 4 },
  );
});

test("[SC17] findings are those of the whole text, in its places", () => {
  const text = drawText(11, 40_000);
  const places = (findings: readonly Finding[]): readonly unknown[] =>
    findings
      .filter(({ path }) => path === undefined)
      .map(({ kind, start, end, placeholderTag }) => [kind, start, end, placeholderTag]);
  const whole = testScrubber({ keepsJson: false }).scrub(text);
  const findings: Finding[] = [];
  const open = createScrubStream(testScrubber({ keepsJson: false }), {
    stretchChars,
    onFinding: (found) => void findings.push(found),
  });
  for (let at = 0; at < text.length; at += 700) open.write(text.slice(at, at + 700));
  open.end();
  const sorted = whole.findings.toSorted((left, right) => left.start - right.start);
  expect(places(findings.toSorted((left, right) => left.start - right.start))).toEqual(
    places(sorted),
  );
  expect(findings.length).toBeGreaterThan(10);
});

/** Texts for which the whole and the stream may part, so that only the pieces must not matter. */
const hostile: readonly (readonly [string, string])[] = [
  ["one line", drawText(3, 40_000).replaceAll("\n", " ")],
  ["one word", drawChars(alnum, 90_000, 8)],
  ["an open private tag", `a\n<private>${"secret words\n".repeat(6_000)}`],
  [
    "a long private tag",
    `a\n<private>${"secret words\n".repeat(4_000)}</private>\nb ${drawText(5, 30_000)}`,
  ],
  [
    "a key without end",
    `${["-----BEGIN", "PRIVATE KEY-----"].join(" ")}\n${drawChars(base64, 80_000, 2)}`,
  ],
  ["half pairs", "\u{1F511}".repeat(40_000)],
  ["many openings", "<private>".repeat(9_000)],
  ["closings alone", "</private>\n".repeat(6_000)],
];

test.each(hostile)("[SC17] pieces make no difference: %s", (_, text) => {
  const whole = stream(text, [text.length]);
  for (const sizes of [[1], [1023, 2, 4097], [20_000], [65_536, 1]]) {
    const pieces = sizes[0] === 1 ? [97, 1, 1, 3] : sizes;
    const streamed = stream(text, pieces);
    expect(streamed.text).toBe(whole.text);
    expect(streamed.findings).toEqual(whole.findings);
  }
});

test("[SC17] JSON lines stay JSON", () => {
  const lines = Array.from({ length: 400 }, (_, index) =>
    JSON.stringify({
      n: index,
      env: `A=1\nDB_PASSWORD=${drawChars(alnum, 16, index)}\n`,
      ok: true,
    }),
  );
  const { text } = stream(lines.join("\n"), [500]);
  const read = text.split("\n").map((line) => JSON.parse(line) as { n: number; env: string });
  expect(read.map(({ n }) => n)).toEqual(lines.map((__, index) => index));
  for (const { env } of read) expect(env).toMatch(/DB_PASSWORD=__SECRET_\w+__\n$/);
});

test("[SC17] an async stream of chunks gives the same, and nothing for nothing", async () => {
  const text = drawText(21, 30_000);
  const collect = async (chunks: Iterable<string>): Promise<readonly string[]> => {
    const out: string[] = [];
    for await (const chunk of scrubStream(scrubber, chunks, { stretchChars })) out.push(chunk);
    return out;
  };
  const pieces = text.match(/[^]{1,900}/g) ?? [];
  expect((await collect(pieces)).join("")).toBe(scrubber.scrub(text).text);
  expect(await collect([])).toEqual([]);
  expect(await collect(["", ""])).toEqual([]);
});

test("[SC17] the path of the hint counts for every stretch", () => {
  const text = drawText(2, 30_000);
  const allowing = testScrubber({ allow: { paths: ["fixtures/**"] } });
  const open = createScrubStream(allowing, { stretchChars, hint: { path: "fixtures/a.log" } });
  const out = open.write(text) + open.end();
  expect(out).toBe(allowing.scrub(text, { path: "fixtures/a.log" }).text);
  expect(out).toContain("ghp_");
});

test("[SC18] a private tag that is longer than what is held goes to its end, nested ones too", () => {
  const inner = `<private>${"deeper\n".repeat(900)}</private>\n`;
  const long = `${"kept back\n".repeat(3_000)}${inner}${"kept back\n".repeat(3_000)}`;
  const text = `before\n<private>${long}</private> after\n${"line\n".repeat(900)}`;
  const { text: out, findings } = stream(text, [1_000]);
  expect(out).toMatch(/^before\n__SECRET_private_\w{12}__ after\nline\n/);
  expect(out).toContain("line\n".repeat(900));
  const [found] = findings;
  expect(findings).toHaveLength(1);
  expect(text.slice(found?.start, found?.end)).toBe(`<private>${long}</private>`);
});

test.each([
  ["that is held to its end", 90_000],
  ["that is longer than what is held", 300_000],
])("[SC17, SC18] a private tag %s is one, though it began long before the cut", (_, chars) => {
  const long = "<private>deeper</private> ".repeat(chars / 26);
  const text = `${"line\n".repeat(200)}<private>${long}</private> after\n${"line\n".repeat(30_000)}`;
  const options = { stretchChars: 32_768 };
  const inPieces = stream(text, [7_001, 13], options);
  expect(inPieces).toMatchObject({
    text: expect.stringMatching(
      /^(?:line\n){200}__SECRET_private_\w{12}__ after\n(?:line\n){30000}$/,
    ),
    findings: [{ kind: "private", start: 1_000, end: text.indexOf(" after") }],
  });
  expect(stream(text, [text.length], options).text).toBe(inPieces.text);
  if (chars < 8 * 32_768) expect(inPieces.text).toBe(scrubber.scrub(text).text);
});

test("[SC18] a private tag that is never closed takes the rest", () => {
  const text = `before\n<private>${"kept back\n".repeat(9_000)}`;
  const { text: out, findings } = stream(text, [5_000]);
  expect(out).toMatch(/^before\n__SECRET_private_\w{12}__$/);
  expect(findings.at(-1)?.end).toBe(text.length);
});

test("[SC5, SC18] a stretch that can be cut nowhere is withheld, and what follows is not", () => {
  const secret = drawChars(base64, 24_000, 3);
  const text = `password = "${secret}"\n${"line\n".repeat(3_000)}`;
  // A scrubber that holds every place to be inside of something.
  const joined = {
    ...scrubber,
    scrub: (given: string) =>
      given.startsWith("<private>")
        ? scrubber.scrub(given)
        : { text: `${given.length}:${given.slice(0, 1)}`, findings: [] },
  };
  const open = createScrubStream(joined, { stretchChars });
  const out = open.write(text) + open.end();
  expect(out).toMatch(/^__SECRET_withheld_\w{12}__/);
  expect(out).not.toContain(secret.slice(0, 40));
});

test("[SC18] no more is held back than eight stretches and what surrounds a cut", () => {
  const text = `${drawText(7, 60_000)}<private>${"x\n".repeat(30_000)}</private>`;
  const lengths: number[] = [];
  const watched = {
    ...scrubber,
    scrub: (given: string) => {
      lengths.push(given.length);
      return scrubber.scrub(given);
    },
  };
  const open = createScrubStream(watched, { stretchChars });
  for (let at = 0; at < text.length; at += 512) open.write(text.slice(at, at + 512));
  open.end();
  expect(Math.max(...lengths)).toBeLessThan(8 * stretchChars + 2 * 65_536 + 2_048);
  expect(lengths.length).toBeGreaterThan(12);
});
