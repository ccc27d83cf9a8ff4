import fc from "fast-check";
import { expect, test } from "vitest";
import { compactState, expandState } from "./compact.ts";
import type { RecordId } from "./ids.ts";
import { anyState } from "./testing/arbitraries.ts";
import { testRecord } from "./testing/records.ts";

test("[MG7] expanding a compact record gives back every register", () => {
  fc.assert(
    fc.property(anyState, (state) => {
      expect(expandState(compactState(state))).toEqual(state);
    }),
    { numRuns: 1000, seed: 20261121 },
  );
});

test("[MG7] the put clock stands once; only fields changed later carry their own", () => {
  const record = testRecord({
    title: ["t", 7, "b"],
    kind: ["note", 3, "a"],
    narrative: ["n", 3, "a"],
  });
  expect(compactState(record)).toEqual({
    id: "record1",
    collection: "observation",
    lamport: 3,
    writer: "a",
    at: 0,
    fields: { kind: "note", narrative: "n", title: "t" },
    clocks: { title: [7, "b", 0] },
  });
});

test("[MG7] the same registers give the same bytes in any order of fields", () => {
  const one = testRecord({ a: [1, 1, "a"], b: [2, 1, "a"] });
  const other = testRecord({ b: [2, 1, "a"], a: [1, 1, "a"] });
  expect(JSON.stringify(compactState(one))).toBe(JSON.stringify(compactState(other)));
});

test("[MG7] a record of one clock carries no others, and its parent where it has one", () => {
  const compact = {
    id: "record1",
    collection: "observation",
    lamport: 3,
    writer: "a",
    at: 0,
    fields: { title: "t" },
  };
  const record = testRecord({ title: ["t", 3, "a"] });
  expect(compactState(record)).toStrictEqual(compact);
  expect(expandState(compactState(record))).toStrictEqual(record);
  const child = { ...record, parent: "parent" as RecordId };
  expect(compactState(child)).toStrictEqual({ ...compact, parent: "parent" });
  expect(expandState(compactState(child))).toStrictEqual(child);
});

test("[MG7] a field of another wall time carries its own clock", () => {
  const { title } = testRecord({ title: ["t", 3, "a"] }).registers;
  if (title === undefined) throw new Error("the record has a title");
  const record = { ...testRecord({}), registers: { title, kind: { ...title, at: 5 } } };
  expect(compactState(record)).toMatchObject({ at: 0, clocks: { kind: [3, "a", 5] } });
});

test("[MG7] a record without any register has a compact form, too", () => {
  const empty = testRecord({});
  expect(compactState(empty)).toMatchObject({ lamport: 1, writer: "none", at: 0, fields: {} });
  expect(expandState(compactState(empty))).toEqual(empty);
});
