import fc from "fast-check";
import { expect, test } from "vitest";
import { readCanonicalPut } from "./canonical-put.ts";
import { decodeOp } from "./decode.ts";
import type { RecordId } from "./ids.ts";
import { limits } from "./limits.ts";
import { opLine, type Op, type PutOp } from "./op.ts";
import { anyOp } from "./testing/arbitraries.ts";

const runs = { numRuns: 2000, seed: 20261122 };
const put: PutOp = {
  n: 7,
  record: "r1" as RecordId,
  collection: "observation",
  lamport: 12,
  at: 1_795_000_000_000,
  op: "put",
  fields: { a: "one", b: ["x", 1, null], c: -3, d: true, e: [], f: 0 },
};
const line = opLine(put);

const anyText = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: fc.constantFrom('"', "\\", ",", "{", ":", "\n", "\u001F", "a", "\u{1F600}") }),
);
const anyScalar = fc.oneof(anyText, fc.integer(), fc.double(), fc.constantFrom(null, true, false));
const anyFields = fc.dictionary(
  fc.oneof(fc.constantFrom("a", "ab", "a_b", "B1", "_x", "title"), anyText),
  fc.oneof(anyScalar, fc.array(anyScalar, { maxLength: 3 }), fc.json().map(JSON.parse)),
  { minKeys: 1, maxKeys: 5 },
);

/** What reading a line gives: nothing, or what the other reader gives. */
function check(text: string, n: number): boolean {
  const read = readCanonicalPut(text, n);
  if (read === undefined) return false;
  const { record, collection, parent, lamport, at, fields, fieldsText, names } = read;
  const head = { n: read.n, record, collection, lamport, at, op: read.op };
  const plain: PutOp = parent === undefined ? { ...head, fields } : { ...head, parent, fields };
  expect(decodeOp(text, n)).toEqual({ ok: true, value: plain });
  expect(opLine(plain)).toBe(text);
  expect(JSON.stringify(fields)).toBe(fieldsText);
  const told = names.flatMap((start, place) =>
    place % 2 === 0 ? [fieldsText.slice(start + 1, (names[place + 1] ?? 0) - 1)] : [],
  );
  expect(told).toEqual(Object.keys(fields));
  expect(Object.keys(fields)).toEqual(Object.keys(fields).toSorted());
  return true;
}

test("[OP6] what a put's line is read as, the slow reader reads too", () => {
  fc.assert(
    fc.property(anyFields, (fields) => {
      check(opLine({ ...put, fields }), put.n);
      check(JSON.stringify({ ...put, fields }), put.n);
    }),
    runs,
  );
});

test("[OP6] any op, and a line that somebody changed, are read alike or not at all", () => {
  fc.assert(
    fc.property(anyOp, fc.nat(), fc.string({ maxLength: 3 }), (op: Op, place, noise) => {
      for (const text of [opLine(op), line]) {
        const cut = place % text.length;
        check(text, op.n);
        check(text.slice(0, cut) + noise + text.slice(cut + 1), put.n);
      }
    }),
    { ...runs, numRuns: 4000 },
  );
});

test.each([
  ["plain fields", put],
  ["a parent", { ...put, parent: "p1" as RecordId }],
  ["escapes", { ...put, fields: { text: 'a "quoted"\\ \b\f\n\r\t\u0001\u000B\u001F\u007F/' } }],
  ["other scripts", { ...put, fields: { text: "é 漢字 \u{1F600} \u2028", list: ["\u{10FFFF}"] } }],
  ["what looks like fields", { ...put, fields: { a: ',"b":', b: ["{", '"c":1', "},"], c: "{" } }],
  ["all fields that fit", { ...put, fields: fieldsOf(limits.fieldsMax) }],
])("[OP6] a canonical put with %s is read from its text", (_what, op) => {
  expect(check(opLine(op), put.n)).toBe(true);
});

test.each([
  ["another n", line.replace('"n":7', '"n":8')],
  ["a space", line.replace(":12,", ": 12,")],
  ["a member more", line.replace('"record"', '"q":1,"record"')],
  ["members in another order", `{"n":7,${line.slice(1).replace('"n":7,', "")}`],
  ["a short escape of what needs none", line.replace("one", String.raw`o\/e`)],
  ["a long escape of what needs none", line.replace("one", String.raw`\u0061`)],
  ["a long escape of what has a short one", line.replace("one", String.raw`\u000a`)],
  ["an escape in capitals", line.replace("one", String.raw`\u001F`)],
  ["NUL", line.replace("one", String.raw`\u0000`)],
  ["half a pair", line.replace("one", "\uD83D")],
  ["half a pair, escaped", line.replace("one", String.raw`\ud83d`)],
  ["a raw control character", line.replace("one", "\n")],
  ["-0", line.replace('"c":-3', '"c":-0')],
  ["a fraction", line.replace('"c":-3', '"c":1.50')],
  ["an exponent", line.replace('"c":-3', '"c":1e3')],
  ["a leading zero", line.replace('"c":-3', '"c":03')],
  ["a number that is not safe", line.replace('"c":-3', '"c":9007199254740993')],
  ["an object", line.replace('"c":-3', '"c":{"x":1}')],
  ["a list in a list", line.replace('"c":-3', '"c":[[]]')],
  ["names that do not ascend", line.replace('"c":-3', '"a1":-3')],
  ["a name twice", line.replace('"b":', '"a":')],
  ["a name that is a number", line.replace('"a":', '"1":')],
  ["a name of every object", line.replace('"d":', '"constructor":')],
  ["the name prototype", line.replace('"f":', '"prototype":')],
  ["a name too long", line.replace('"f":', `"f${"x".repeat(limits.fieldNameMax)}":`)],
  ["no field", line.replace(/\{"a".*\]\}|\{"a".*?\}/, "{}")],
  ["a field too many", opLine({ ...put, fields: fieldsOf(limits.fieldsMax + 1) })],
  ["a lamport of 0", line.replace('"lamport":12', '"lamport":0')],
  ["a bad id", line.replace('"r1"', '"r 1"')],
  ["a line end", `${line}\n`],
  ["another op", opLine({ ...put, op: "set", base: {} })],
])("[OP6] a line with %s is left to the slow reader", (_what, text) => {
  expect(text).not.toBe(line);
  expect(readCanonicalPut(text, put.n)).toBeUndefined();
});

test.each([String.raw`\n`, "\u{1F600}", "a", String.raw`","`])(
  "[WR1] a line full of %j is read or refused, never a throw",
  (unit) => {
    const filler = unit.repeat(Math.floor((limits.opBytesMax - 200) / unit.length));
    for (const end of ['"', "", "\\"]) {
      const text = `{"at":1,"collection":"c","fields":{"a":["${filler}${end}]},"lamport":1,"n":1,"op":"put","record":"r"}`;
      expect(check(text, 1)).toBe(end === '"');
    }
    expect(readCanonicalPut(line.replace("one", "x".repeat(limits.opBytesMax)), 7)).toBeUndefined();
  },
);

function fieldsOf(count: number): PutOp["fields"] {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, index]));
}
