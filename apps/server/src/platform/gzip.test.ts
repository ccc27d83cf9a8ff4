import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createExpander, type Expanded } from "./gzip.ts";

const plain = Buffer.from(
  Array.from({ length: 3_000 }, (_, place) => `line ${String(place % 97)} of many\n`).join(""),
);
const packed = gzipSync(plain);

/** Gives pieces in turn; ends at what is no piece. */
async function expanded(pieces: readonly Uint8Array[], bytesMax: number): Promise<Expanded> {
  const expander = createExpander(bytesMax);
  const all: Uint8Array[] = [];
  for (const next of [...pieces.map((piece) => () => expander.add(piece)), () => expander.end()]) {
    const given = await next();
    if (typeof given === "string") {
      expect(await expander.add(plain)).toBe(given);
      expect(await expander.end()).toBe(given);
      expander.close();
      return given;
    }
    all.push(...given);
  }
  expander.close();
  return [Buffer.concat(all)];
}

test("[WR12] a gzip that comes in pieces expands to what it holds, wherever it is cut", async () => {
  const cuts = fc.array(fc.nat(packed.length), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(cuts, async (places) => {
      const ends = [...places, packed.length].toSorted((a, b) => a - b);
      const pieces = ends.map((end, at) => packed.subarray(ends[at - 1] ?? 0, end));
      expect(await expanded(pieces, plain.length)).toEqual([plain]);
      expect(await expanded(pieces, plain.length - 1)).toBe("too-large");
    }),
    { numRuns: 60, seed: 20261128 },
  );
});

test("[PS34] what a gzip holds is there but for its last bytes when all but its end has come", async () => {
  const expander = createExpander(plain.length);
  const given = await expander.add(packed.subarray(0, -8));
  expect(typeof given === "string" ? given : Buffer.concat(given).length).toBe(plain.length);
  expander.close();
});

test.each([
  ["cut", [packed.subarray(0, -1)]],
  ["cut before its sum", [packed.subarray(0, -8)]],
  ["none", [Buffer.from("no gzip at all")]],
  ["with a wrong sum", [packed.subarray(0, -8), Buffer.alloc(8)]],
])("[WR12] a gzip that is %s is malformed", async (_, pieces) => {
  expect(await expanded(pieces, plain.length)).toBe("malformed");
});

/** Some writers fill a last block with zeros; other readers of gzip take none of them for content. */
test.each([
  ["with it", [Buffer.concat([packed, Buffer.alloc(1)])]],
  ["with it, as a block", [Buffer.concat([packed, Buffer.alloc(512)])]],
  ["later", [packed, Buffer.alloc(1)]],
  ["later, with more", [packed, Buffer.alloc(3), Buffer.from("more"), packed]],
])("[WR12] zeros after a gzip that come %s end it, and hold nothing up", async (_, pieces) => {
  expect(await expanded(pieces, plain.length)).toEqual([plain]);
});

test("[WR12] gzips that stand one after another are all expanded, wherever they are cut", async () => {
  const both = Buffer.concat([packed, packed]);
  const cut = packed.length + 1;
  const pieces = [both.subarray(0, cut), both.subarray(cut)];
  expect(await expanded(pieces, plain.length * 2)).toEqual([Buffer.concat([plain, plain])]);
  expect(await expanded([packed, packed], plain.length * 2 - 1)).toBe("too-large");
});

test("[WR12] of a bomb no more is made than it may, in one piece of it", async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000));
  const before = process.memoryUsage().arrayBuffers;
  expect(await expanded([bomb], 1_000_000)).toBe("too-large");
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 2 ** 20);
});

test("[WR12] a gzip of which nothing has come yet holds no memory", async () => {
  const before = process.memoryUsage().arrayBuffers;
  const expanders = Array.from({ length: 200 }, () => createExpander(plain.length));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 20);
  for (const expander of expanders) expander.close();
  expect(await expanded([], plain.length)).toBe("malformed");
});
