import fc from "fast-check";
import { expect, test } from "vitest";
import { adoptState } from "./adopt.ts";
import { readCanonicalRecord } from "./canonical-record.ts";
import { compactState } from "./compact.ts";
import { decodeState } from "./decode.ts";
import { recordDigest } from "./digest.ts";
import type { RecordId } from "./ids.ts";
import { limits } from "./limits.ts";
import { fieldsOf, NewRecord } from "./new-record.ts";
import type { LiveRecord, RecordState } from "./record.ts";
import { storedRecord } from "./stored.ts";
import { anyLive, anyState, anyValue, sharedId } from "./testing/arbitraries.ts";
import { sha256 } from "./testing/sha256.ts";

const fields = '{"kind":"note","tag":["a",1,null],"title":"t"}';
const head = '"seq":7,"id":"r1","collection":"observation"';
const stamp = '"lamport":3,"writer":"w1","at":5';
const plain = `{${head},${stamp},"fields":${fields}}`;

function lineOf(state: RecordState, seq = 7): string {
  return JSON.stringify({ seq, ...compactState(state) });
}

function liveOf(line: string): LiveRecord {
  const decoded = decodeState(line);
  if (!decoded.ok || "forgotten" in decoded.value.state) throw new Error("no live record");
  return decoded.value.state;
}

/** What everybody else sees of a record. */
function seenOf(record: LiveRecord): unknown {
  const { id, collection, parent, registers } = record;
  return { id, collection, parent, registers, fields: fieldsOf(record) };
}

function expectSame(line: string): void {
  const read = readCanonicalRecord(line);
  if (read === undefined) return;
  const plainly = decodeState(line);
  const record = liveOf(line);
  if (!plainly.ok || !(read.state instanceof NewRecord)) throw new Error("it is a live record");
  expect(read.seq).toBe(plainly.value.seq);
  expect(seenOf(read.state)).toEqual(seenOf(record));
  expect(storedRecord(sha256, read.state)).toEqual(storedRecord(sha256, record));
  expect(storedRecord(sha256, read.state).digest).toBe(recordDigest(sha256, record));
}

test("[WR1] a record's canonical line is read without its values", () => {
  expect(readCanonicalRecord(plain)?.state).toBeInstanceOf(NewRecord);
  expectSame(plain);
  const below = plain.replace(',"lamport"', ',"parent":"p1","lamport"');
  expect(readCanonicalRecord(below)?.state).toMatchObject({ parent: "p1" });
  expectSame(below);
});

// Quotes, commas and braces at the edges of texts are where a field could seem to begin.
const tricky = fc.array(fc.constantFrom('"', "\\", ",", "{", "}", "[", "]", ":", "a", "é", "😀"));
const trickyText = tricky.map((parts) => parts.join(""));
const trickyValue = fc.oneof(trickyText, fc.array(trickyText), fc.integer(), fc.boolean());

test("[WR1] a canonical line says what reading it plainly says", () => {
  const value = fc.oneof(trickyValue, anyValue);
  const name = fc.constantFrom("a", "b", "tag/x", "kind", "aa", "A", "_");
  const state = fc.dictionary(name, value, { minKeys: 1 }).map((values) => {
    const clock = { lamport: 3, writer: "w1" as never };
    const registers = Object.entries(values).map(([field, held]) => [
      field,
      { value: held, clock, at: 5 },
    ]);
    return { id: sharedId, collection: "observation", registers: Object.fromEntries(registers) };
  });
  fc.assert(
    fc.property(state, (record: LiveRecord) => {
      const line = lineOf(record);
      expectSame(line);
    }),
    { numRuns: 2000, seed: 20261122 },
  );
});

test("[WR1] no line of any state is read as another one", () => {
  fc.assert(
    fc.property(anyState, (state) => {
      expectSame(lineOf(state));
    }),
    { numRuns: 1000, seed: 20261122 },
  );
});

test("[PL4] a record that was read from its line is adopted as any other", () => {
  fc.assert(
    fc.property(anyLive, (held) => {
      const line = plain.replace('"r1"', `"${held.id}"`);
      const read = readCanonicalRecord(line)?.state;
      if (read === undefined) throw new Error("it is a canonical line");
      expect(adoptState(held, read)).toEqual(adoptState(held, liveOf(line)));
    }),
    { numRuns: 300, seed: 20261122 },
  );
});

const withFields = (text: string): string => `{${head},${stamp},"fields":${text}}`;
const many = Array.from(
  { length: limits.fieldsMax + 1 },
  (_, n) => `"f${String(n).padStart(4, "0")}":1`,
);

test.each([
  ["names out of order", withFields('{"b":1,"a":1}')],
  ["a name twice", withFields('{"a":1,"a":2}')],
  ["no field", withFields("{}")],
  ["too many fields", withFields(`{${many.join(",")}}`)],
  ["too long a name", withFields(`{"${"n".repeat(limits.fieldNameMax + 1)}":1}`)],
  ["a number as a name", withFields('{"1":1}')],
  ["an inherited name", withFields('{"toString":1}')],
  ["a polluting name", withFields('{"__proto__":1}')],
  ["an object", withFields('{"a":{"b":1}}')],
  ["a fraction", withFields('{"a":1.0}')],
  ["minus zero", withFields('{"a":-0}')],
  ["an unsafe integer", withFields('{"a":9007199254740993}')],
  ["a lone surrogate", withFields('{"a":"\ud800"}')],
  ["an escaped surrogate", withFields(String.raw`{"a":"\ud83d\ude00"}`)],
  ["a NUL", withFields(String.raw`{"a":"\u0000"}`)],
  ["an escape that is not needed", withFields(String.raw`{"a":"\u0061"}`)],
  ["an escaped slash", withFields(String.raw`{"a":"\/"}`)],
  ["a raw control character", withFields('{"a":"\u0001"}')],
  ["a space", withFields('{"a": 1}')],
  ["clocks", `${plain.slice(0, -1)},"clocks":{"title":[9,"w2",6]}}`],
  ["a member that is not known", `${plain.slice(0, -1)},"later":1}`],
  ["another order", `{${stamp},${head},"fields":${fields}}`],
  ["no seq", plain.replace('"seq":7,', "")],
  ["seq 0", plain.replace('"seq":7', '"seq":0')],
  ["lamport 0", plain.replace('"lamport":3', '"lamport":0')],
  ["too long an id", plain.replace('"r1"', `"${"r".repeat(limits.idMax + 1)}"`)],
  ["an id that is none", plain.replace('"r1"', '"r 1"')],
  ["a tombstone", `{${head},"forgotten":true}`],
  ["half a line", plain.slice(0, -1)],
  ["more than a line", `${plain}\n`],
  ["nothing", ""],
  ["too long a line", withFields(`{"a":"${"x".repeat(limits.opBytesMax)}"}`)],
])("[WR1] a line with %s is left to the plain reader", (_, line) => {
  expect(readCanonicalRecord(line)).toBeUndefined();
});

test("[WR1] a record that was read from its line has the shape of every other", () => {
  const state = readCanonicalRecord(plain)?.state;
  expect({ ...state }).toEqual({ id: "r1" as RecordId, collection: "observation" });
});
