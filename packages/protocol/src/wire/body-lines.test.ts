import fc from "fast-check";
import { expect, test } from "vitest";
import { bodyOfLines, createLineReader, linesOfBody } from "./body-lines.ts";

const encoder = new TextEncoder();
const letter = fc.constantFrom("\r", "a", "\u007f", "\u0080", "é", "→", "\u{feff}", "😀", "\0");
const line = fc.string({ unit: letter, maxLength: 12 });

/** The lines as decoding all of a body and splitting it gives them. */
function linesAtOnce(bytes: Uint8Array): readonly string[] | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const lines = text.split("\n");
    if (lines.at(-1) === "") lines.pop();
    return lines;
  } catch {
    return undefined;
  }
}

test("[WR12] lines read one by one are those of the body read at once", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), fc.boolean(), (lines, isEnded) => {
      const bytes = encoder.encode(lines.join("\n") + (isEnded ? "\n" : ""));
      expect(linesOfBody(bytes)).toEqual(linesAtOnce(bytes));
    }),
    { numRuns: 2_000, seed: 20261125 },
  );
});

test("[WR12] lines of a body that comes in pieces are those of the body, each as soon as it has ended", () => {
  fc.assert(
    fc.property(
      fc
        .uint8Array({ maxLength: 24 })
        .map((bytes) => bytes.map((byte) => (byte % 5 === 0 ? 10 : byte))),
      fc.array(line, { maxLength: 6 }),
      fc.array(fc.nat(40), { maxLength: 6 }),
      (any, lines, cuts) => {
        const bytes = Uint8Array.from([...encoder.encode(lines.join("\n")), ...any]);
        const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length];
        const ends = places.toSorted((a, b) => a - b);
        const reader = createLineReader();
        let read: readonly string[] | undefined = [];
        for (const [at, end] of ends.entries()) {
          const more = reader.add(bytes.subarray(ends[at - 1] ?? 0, end));
          read = more && read && [...read, ...more];
          const feed = bytes.lastIndexOf(10, end - 1);
          const ended = end === 0 || feed < 0 ? [] : linesAtOnce(bytes.subarray(0, feed + 1));
          expect(read).toEqual(ended);
        }
        const last = reader.end();
        expect(last && read && [...read, ...last]).toEqual(linesAtOnce(bytes));
      },
    ),
    { numRuns: 3_000, seed: 20261128 },
  );
});

test("[WR12] what comes after an ill line is read no more", () => {
  const reader = createLineReader({ linesMax: 2, lineBytesMax: 4 });
  expect(reader.add(encoder.encode("a\nb\n"))).toEqual(["a", "b"]);
  expect(reader.add(encoder.encode("c\n"))).toBeUndefined();
  expect(reader.add(encoder.encode(""))).toBeUndefined();
  expect(reader.end()).toBeUndefined();
  const long = createLineReader({ linesMax: 9, lineBytesMax: 4 });
  expect(long.add(encoder.encode("abc"))).toEqual([]);
  expect(long.add(encoder.encode("de"))).toBeUndefined();
});

test("[WR12] bytes that are no UTF-8 in any line are no lines", () => {
  const byte = fc.constantFrom(
    0x0a,
    0x61,
    0xc3,
    0xa9,
    0xe2,
    0x86,
    0x92,
    0xed,
    0xa0,
    0x80,
    0xf0,
    0xff,
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 8 }), fc.array(byte, { maxLength: 8 }), (any, drawn) => {
      const bytes = Uint8Array.from([...drawn, ...any]);
      expect(linesOfBody(bytes)).toEqual(linesAtOnce(bytes));
    }),
    { numRuns: 5_000, seed: 20261125 },
  );
  expect(linesOfBody(Uint8Array.of(0x61, 0x0a, 0xc3))).toBeUndefined();
});

test("[WR12] a body in the middle of other bytes has its own lines alone", () => {
  const bytes = encoder.encode("before\nfirst\nsecond é\nafter");
  expect(linesOfBody(bytes.subarray(7, 22))).toEqual(["first", "second é"]);
  expect(linesOfBody(new Uint8Array())).toEqual([]);
});

test("[WR12] lines become a body that has them, however many bytes their letters take", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 200, size: "max" }), (lines) => {
      const body = bodyOfLines(lines);
      expect(body).toEqual(encoder.encode(lines.map((each) => `${each}\n`).join("")));
      expect(linesOfBody(body)).toEqual(lines);
    }),
    { numRuns: 500, seed: 20261125 },
  );
  expect(bodyOfLines([])).toEqual(new Uint8Array());
});
