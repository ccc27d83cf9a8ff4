import fc from "fast-check";
import { expect, test } from "vitest";
import { adoptState } from "./adopt.ts";
import { mergeRecords } from "./merge.ts";
import { isTombstone } from "./record.ts";
import { anyState } from "./testing/arbitraries.ts";
import { testRecord, testTombstone } from "./testing/records.ts";

test("[PL4] adopting is merging, wherever no clock has two values", () => {
  fc.assert(
    fc.property(anyState, anyState, (held, pulled) => {
      if (hasTie(held, pulled)) return;
      expect(adoptState(held, pulled).state).toEqual(mergeRecords(held, pulled));
    }),
    { numRuns: 1000, seed: 20261121 },
  );
});

test("[CF5] one clock with two values: the replica keeps its own until the heal", () => {
  const held = testRecord({ title: ["alpha", 2, "a"] });
  const pulled = testRecord({ title: ["beta", 2, "a"] });
  expect(adoptState(held, pulled).state).toEqual(held);
});

test("[HL2] overwritten values become the past of the field", () => {
  const held = testRecord({ title: ["v1", 1, "a"] });
  const pulled = testRecord({ title: ["v2", 2, "b"] });
  expect(adoptState(held, pulled).overwritten).toMatchObject([
    { field: "title", register: { value: "v1" }, replacedBy: { lamport: 2, writer: "b" } },
  ]);
});

test("[HL2] a value that stays, is new or is the same under a higher clock has no past", () => {
  const held = testRecord({ title: ["t", 5, "a"], kind: ["note", 1, "a"] });
  const pulled = testRecord({ title: ["older", 4, "b"], kind: ["note", 2, "b"], tag: [1, 2, "b"] });
  expect(adoptState(held, pulled)).toEqual({
    state: testRecord({ title: ["t", 5, "a"], kind: ["note", 2, "b"], tag: [1, 2, "b"] }),
    overwritten: [],
  });
});

test("[TB1] a tombstone is adopted, and stays", () => {
  const live = testRecord({ title: ["t", 9, "a"] });
  const stone = testTombstone();
  expect(adoptState(live, stone)).toEqual({ state: stone, overwritten: [] });
  expect(adoptState(stone, live)).toEqual({ state: stone, overwritten: [] });
  expect(adoptState(undefined, stone)).toEqual({ state: stone, overwritten: [] });
  expect(adoptState(undefined, live)).toEqual({ state: live, overwritten: [] });
});

function hasTie(
  left: Parameters<typeof mergeRecords>[0],
  right: Parameters<typeof mergeRecords>[0],
): boolean {
  if (isTombstone(left) || isTombstone(right)) return false;
  return Object.entries(left.registers).some(([field, own]) => {
    const other = right.registers[field];
    if (other === undefined) return false;
    const isSameClock =
      own.clock.lamport === other.clock.lamport && own.clock.writer === other.clock.writer;
    return isSameClock && JSON.stringify(own.value) !== JSON.stringify(other.value);
  });
}
