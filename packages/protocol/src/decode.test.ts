import fc from "fast-check";
import { expect, test } from "vitest";
import { compactState } from "./compact.ts";
import { decodeBaseEntry, decodeOp, decodeState } from "./decode.ts";
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
  ["clocks as a list", { clocks: [] }],
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
  expect(decodeState(JSON.stringify({ ...state, ...change })).ok).toBe(false);
  expect(decodeState(JSON.stringify(state)).ok).toBe(true);
});

test("[WR1] base entries are triples or null", () => {
  expect(decodeBaseEntry(null)).toBeNull();
  expect(decodeBaseEntry([3, "w", "h"])).toEqual([3, "w", "h"]);
  expect(decodeBaseEntry([3, "w", 1])).toBeUndefined();
  expect(decodeBaseEntry(undefined)).toBeUndefined();
});
