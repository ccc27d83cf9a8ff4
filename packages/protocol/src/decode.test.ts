import fc from "fast-check";
import { expect, test } from "vitest";
import { compactState } from "./compact.ts";
import { decodeBaseEntry, decodeOp, decodeState } from "./decode.ts";
import type { JsonValue } from "./json.ts";
import { opLine, type Op } from "./op.ts";
import { limits } from "./limits.ts";
import type { RecordId } from "./ids.ts";
import { anyOp, anyState, sharedId } from "./testing/arbitraries.ts";

const runs = { numRuns: 1000, seed: 20261121 };

test("[WR1] an op line reads back as the op", () => {
  fc.assert(
    fc.property(anyOp, (op) => {
      expect(decodeOp(opLine(op), 1)).toEqual({ ok: true, value: op });
    }),
    runs,
  );
});

test("[WR1] a put keeps its parent", () => {
  const op: Op = {
    n: 1,
    record: sharedId,
    collection: "note",
    parent: "parent" as RecordId,
    lamport: 1,
    at: 0,
    op: "put",
    fields: { text: "t" },
  };
  expect(decodeOp(opLine(op), 1)).toEqual({ ok: true, value: op });
});

test("[WR1] a state line reads back as the state, seq beside it", () => {
  fc.assert(
    fc.property(anyState, fc.integer({ min: 1 }), (state, seq) => {
      const line = JSON.stringify({ seq, ...compactState(state) });
      expect(decodeState(line)).toMatchObject({ ok: true, value: { state, seq } });
    }),
    runs,
  );
});

test("[WR1] arbitrary bytes give a typed error, never a throw", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.json()), (line) => {
      for (const decoded of [decodeOp(line, 1), decodeState(line)]) {
        if (!decoded.ok) expect(["invalid", "too-large"]).toContain(decoded.error);
      }
    }),
    { ...runs, numRuns: 3000 },
  );
});

test("[WR1] a mutated line never throws and never changes its number", () => {
  fc.assert(
    fc.property(anyOp, fc.nat(), fc.string({ maxLength: 4 }), (op, place, noise) => {
      const line = opLine(op);
      const cut = place % line.length;
      const decoded = decodeOp(line.slice(0, cut) + noise + line.slice(cut + 1), 1);
      if (decoded.ok) expect(decoded.value.n).toBe(1);
    }),
    { ...runs, numRuns: 3000 },
  );
});

const valid = {
  n: 1,
  record: "r",
  collection: "observation",
  lamport: 1,
  at: 0,
  op: "set",
  fields: { title: "t" },
  base: { title: [1, "w", "h"] },
};

test.each([
  ["another number", { n: 2 }],
  ["no lamport", { lamport: undefined }],
  ["lamport 0", { lamport: 0 }],
  ["lamport beyond 2^53", { lamport: 2 ** 53 }],
  ["a fractional lamport", { lamport: 1.5 }],
  ["a wall time before 1970", { at: -1 }],
  ["an id with a space", { record: "a b" }],
  ["an id that is too long", { record: "a".repeat(limits.idMax + 1) }],
  ["an unknown kind", { op: "delete" }],
  ["a lamport in text", { lamport: "1" }],
  ["a wall time in text", { at: "0" }],
  ["a fractional wall time", { at: 0.5 }],
  ["no record", { record: undefined }],
  ["no collection", { collection: undefined }],
  ["a name that every object has, beside others", { fields: { title: "t", toString: "t" } }],
  ["a base of a name that every object has", { base: { title: null, toString: null } }],
  ["a base that is a list", { base: [] }],
  ["no fields", { fields: undefined }],
  ["fields as an array", { fields: [] }],
  ["no base", { base: undefined }],
  ["a base that is no triple", { base: { title: [1, "w"] } }],
  ["a put under a bad parent", { op: "put", parent: 5 }],
  ["a lone surrogate", { fields: { title: "\ud800" } }],
  ["a NUL", { fields: { title: "\0" } }],
])("[WR1] %s is invalid", (_, change) => {
  expect(decodeOp(JSON.stringify({ ...valid, ...change }), 1)).toEqual({
    ok: false,
    error: "invalid",
  });
});

test.each([
  ["a number in text", { n: "1" }, 1],
  ["number 0", { n: 0 }, 0],
  ["a fractional number", { n: 1.5 }, 1.5],
])("[WR1] %s is no place in a push", (_, change, n) => {
  expect(decodeOp(JSON.stringify({ ...valid, ...change }), n)).toEqual({
    ok: false,
    error: "invalid",
  });
});

test.each(["", "null", "[]", "1", '"text"', "{"])("[WR1] %j is no line", (line) => {
  expect(decodeOp(line, 1)).toEqual({ ok: false, error: "invalid" });
  expect(decodeState(line)).toEqual({ ok: false, error: "invalid" });
});

test("[WR1] a line may be as long as its limit, and hold as many and as long names", () => {
  const names = Array.from({ length: limits.fieldsMax }, (_, index) =>
    `f${index}`.padEnd(limits.fieldNameMax, "x"),
  );
  const fields = Object.fromEntries(names.map((name) => [name, 1]));
  const short = JSON.stringify({ ...valid, fields, base: {} });
  expect(decodeOp(short, 1)).toMatchObject({ ok: true, value: { fields } });
  const line = JSON.stringify({ ...valid, fields: { title: "" } });
  const title = "x".repeat(limits.opBytesMax - line.length);
  const longest = JSON.stringify({ ...valid, fields: { title } });
  expect(longest).toHaveLength(limits.opBytesMax);
  expect(decodeOp(longest, 1)).toMatchObject({ ok: true, value: { fields: { title } } });
});

test.each([
  ["a line", "x".repeat(limits.opBytesMax + 1)],
  [
    "a set of fields",
    JSON.stringify({
      ...valid,
      fields: Object.fromEntries(
        Array.from({ length: limits.fieldsMax + 1 }, (_, index) => [`f${index}`, 1]),
      ),
    }),
  ],
  [
    "a field name",
    JSON.stringify({ ...valid, fields: { ["f".repeat(limits.fieldNameMax + 1)]: 1 } }),
  ],
])("[WR1] %s over its limit is too large", (_, line) => {
  expect(decodeOp(line, 1)).toEqual({ ok: false, error: "too-large" });
});

test.each([
  ["a bad clock", { clocks: { title: [1] } }],
  ["a clock of four parts", { clocks: { title: [1, "w", 0, 0] } }],
  ["a clock without a lamport", { clocks: { title: [0, "w", 0] } }],
  ["a clock without a writer", { clocks: { title: [1, "", 0] } }],
  ["a clock before 1970", { clocks: { title: [1, "w", -1] } }],
  ["a clock as an object", { clocks: { title: {} } }],
  ["a clock that looks like a list", { clocks: { title: { length: 3 } } }],
  ["a clock as a number", { clocks: { title: 5 } }],
  ["clocks as a list", { clocks: [] }],
  [
    "no clock of its own, though its fields have",
    { at: undefined, clocks: { title: [1, "w", 0] } },
  ],
  ["a seq in text", { seq: "5" }],
  ["a seq that is a list", { seq: [5] }],
  ["a fractional seq", { seq: 1.5 }],
  ["no id", { id: undefined }],
  ["a collection of another type", { collection: 5 }],
  ["a parent of another type", { parent: null }],
  ["no writer", { writer: undefined }],
  ["a bad parent", { parent: "a b" }],
  ["a bad seq", { seq: -1 }],
  ["a bad collection", { collection: "" }],
  ["bad fields", { fields: null }],
])("[WR1] a state with %s is invalid", (_, change) => {
  const state = {
    id: "r",
    collection: "observation",
    lamport: 1,
    writer: "w",
    at: 0,
    fields: { title: "t" },
  };
  const line = JSON.stringify({ ...state, ...change });
  expect(decodeState(line)).toEqual({ ok: false, error: "invalid" });
  expect(decodeState(JSON.stringify(state)).ok).toBe(true);
});

test("[WR1] a state keeps its parent, its clocks and what a later version adds", () => {
  const line = {
    id: "r",
    collection: "note",
    parent: "p",
    seq: 7,
    lamport: 1,
    writer: "w",
    at: 0,
    fields: { title: "t", kind: "note" },
    clocks: { title: [2, "v", 5] },
    later: [1],
  };
  expect(decodeState(JSON.stringify(line))).toEqual({
    ok: true,
    value: {
      state: {
        id: "r",
        collection: "note",
        parent: "p",
        registers: {
          title: { value: "t", clock: { lamport: 2, writer: "v" }, at: 5 },
          kind: { value: "note", clock: { lamport: 1, writer: "w" }, at: 0 },
        },
      },
      seq: 7,
      line,
    },
  });
});

test("[WR1] a state without a parent or a seq has no such member", () => {
  const head = { id: "r", collection: "note" };
  const line = { ...head, lamport: 1, writer: "w", at: 0, fields: { title: "t" } };
  const title = { value: "t", clock: { lamport: 1, writer: "w" }, at: 0 };
  expect(decodeState(JSON.stringify(line))).toStrictEqual({
    ok: true,
    value: { state: { ...head, registers: { title } }, line },
  });
});

test("[WR1] only a state that says so is a tombstone, and it needs nothing else", () => {
  const line = { id: "r", collection: "note", forgotten: true };
  expect(decodeState(JSON.stringify(line))).toStrictEqual({
    ok: true,
    value: { state: line, line },
  });
  expect(decodeState(JSON.stringify({ ...line, forgotten: "true" })).ok).toBe(false);
});

test("[WR1] base entries are triples or null", () => {
  expect(decodeBaseEntry(null)).toBeNull();
  expect(decodeBaseEntry([3, "w", "h"])).toEqual([3, "w", "h"]);
  const odd: readonly (JsonValue | undefined)[] = [
    [3, "w", 1],
    [3, "w"],
    [3, "w", "h", "x"],
    [0, "w", "h"],
    [3, 5, "h"],
    [3, "", "h"],
    [3, "w", "a b"],
    ["3", "w", "h"],
    { length: 3 },
    "3wh",
    undefined,
  ];
  expect(odd.filter((entry) => decodeBaseEntry(entry) !== undefined)).toEqual([]);
});
