import fc from "fast-check";
import { expect, test } from "vitest";
import type { RecordId } from "./ids.ts";
import { isSameValue, mergeRecords, winner } from "./merge.ts";
import { isTombstone, tombstone, type RecordState } from "./record.ts";
import { anyLive, anyRegister, anyState, sharedId } from "./testing/arbitraries.ts";
import { testRecord, testTombstone } from "./testing/records.ts";

const runs = { numRuns: 1000, seed: 20261121 };

test("[MG1] merging is commutative", () => {
  fc.assert(
    fc.property(anyState, anyState, (a, b) => {
      expect(mergeRecords(a, b)).toEqual(mergeRecords(b, a));
    }),
    runs,
  );
});

test("[MG1] merging is associative", () => {
  fc.assert(
    fc.property(anyState, anyState, anyState, (a, b, c) => {
      const left = mergeRecords(mergeRecords(a, b), c);
      expect(left).toEqual(mergeRecords(a, mergeRecords(b, c)));
    }),
    runs,
  );
});

test("[MG1] merging twice changes nothing", () => {
  fc.assert(
    fc.property(anyState, anyState, (a, b) => {
      const once = mergeRecords(a, b);
      expect(mergeRecords(once, b)).toEqual(once);
      expect(mergeRecords(a, a)).toEqual(a);
    }),
    runs,
  );
});

test("[MG2] the higher lamport wins, whatever the wall clock says", () => {
  const early = testRecord({ title: ["old", 8, "b"] });
  const late = {
    ...early,
    registers: {
      title: { value: "new", clock: { lamport: 9, writer: "a" as never }, at: -1 },
    },
  };
  expect(mergeRecords(early, late)).toEqual(late);
});

test("[MG2] equal lamports fall to the greater writer id", () => {
  const a = testRecord({ title: ["from a", 9, "a"] });
  const b = testRecord({ title: ["from b", 9, "b"] });
  expect(mergeRecords(a, b)).toEqual(b);
});

test("[MG3] equal clocks fall to the greater canonical value", () => {
  const a = testRecord({ title: ["alpha", 9, "a"] });
  const b = testRecord({ title: ["beta", 9, "a"] });
  expect(mergeRecords(a, b)).toEqual(b);
  expect(mergeRecords(b, a)).toEqual(b);
});

test("[MG2] an independent fold finds the same winners", () => {
  fc.assert(
    fc.property(fc.array(anyRegister, { minLength: 1, maxLength: 6 }), (registers) => {
      const merged = registers.reduce(winner);
      for (const register of registers) {
        expect(merged.clock.lamport).toBeGreaterThanOrEqual(register.clock.lamport);
      }
      expect(registers).toContainEqual(merged);
    }),
    runs,
  );
});

test("[MG4] a tombstone beats every clock", () => {
  fc.assert(
    fc.property(fc.array(anyLive, { minLength: 1, maxLength: 5 }), fc.nat(), (lives, place) => {
      const states: RecordState[] = [...lives];
      states.splice(place % (states.length + 1), 0, tombstone(sharedId, "observation"));
      const merged = states.reduce(mergeRecords);
      expect(isTombstone(merged)).toBe(true);
    }),
    runs,
  );
  const edited = testRecord({ title: ["new", 9, "b"] });
  expect(mergeRecords(edited, testTombstone())).toEqual(testTombstone());
});

test("[MG6] fields that this version does not know survive a merge", () => {
  const known = testRecord({ title: ["t", 1, "a"] });
  const later = testRecord({ "mood/2031": [{ deep: ["kept"] }, 1, "a"] });
  expect(Object.keys((mergeRecords(known, later) as typeof known).registers)).toEqual([
    "title",
    "mood/2031",
  ]);
});

test("[MG1] states of different records never meet", () => {
  expect(() => mergeRecords(testRecord({}, "one"), testRecord({}, "two"))).toThrow(
    "states of different records never meet",
  );
});

test("[MG3] equal clocks and values fall to the later wall time", () => {
  const { title } = testRecord({ title: ["t", 9, "a"] }).registers;
  if (title === undefined) throw new Error("the record has a title");
  const later = { ...title, at: 1 };
  expect(winner(title, later)).toBe(later);
  expect(winner(later, title)).toBe(later);
});

test("[MG1] replicas that disagree on collection or parent still pick the same ones", () => {
  const plain = testRecord({ title: ["t", 1, "a"] });
  const inA = { ...plain, collection: "a", parent: "z" as RecordId };
  const inB = { ...plain, collection: "b", parent: "y" as RecordId };
  const underP = { ...plain, parent: "p" as RecordId };
  const underQ = { ...plain, parent: "q" as RecordId };
  for (const [smaller, greater] of [
    [inA, inB],
    [plain, underP],
    [underP, underQ],
  ] as const) {
    expect(mergeRecords(smaller, greater)).toEqual(smaller);
    expect(mergeRecords(greater, smaller)).toEqual(smaller);
  }
});

test("[MG4] two tombstones of a record become one, in either order", () => {
  const first = tombstone(sharedId, "a");
  const second = tombstone(sharedId, "b");
  expect(mergeRecords(first, second)).toEqual(first);
  expect(mergeRecords(second, first)).toEqual(first);
});

test("[CF4] values are the same whatever the order of their members", () => {
  expect(isSameValue({ a: [1], b: null }, { b: null, a: [1] })).toBe(true);
  expect(isSameValue({ a: [1] }, { a: [2] })).toBe(false);
  expect(isSameValue("1", 1)).toBe(false);
});
