import fc from "fast-check";
import { expect, test } from "vitest";
import { healRecords, type PastClocks } from "./heal.ts";
import type { WriterId } from "./ids.ts";
import { isSameValue, mergeRecords } from "./merge.ts";
import { anyLive, anyState } from "./testing/arbitraries.ts";
import { testRecord, testTombstone } from "./testing/records.ts";
import { sha256 } from "./testing/sha256.ts";
import { valueHash } from "./value-hash.ts";

const nothing = { storedPast: {}, incomingPast: {} };
const runs = { numRuns: 1000, seed: 20261121 };

test("[HL2] a heal ends in the merge of both states", () => {
  fc.assert(
    fc.property(anyState, anyState, (stored, incoming) => {
      const healed = healRecords(sha256, { stored, incoming, ...nothing });
      expect(healed.state).toEqual(mergeRecords(stored, incoming));
    }),
    runs,
  );
});

test("[HL2] a race becomes a conflict record, whichever side loses", () => {
  const stored = testRecord({ title: ["v2", 22, "b"] });
  const incoming = testRecord({ title: ["v1", 21, "a"] });
  for (const pair of [
    { stored, incoming },
    { stored: incoming, incoming: stored },
  ]) {
    expect(healRecords(sha256, { ...pair, ...nothing }).conflicts).toMatchObject([
      { registers: { value: { value: "v1" }, lamport: { value: 21 } } },
    ]);
  }
});

test("[HL2] a value that the winning side once held was seen, and is no conflict", () => {
  const stored = testRecord({ title: ["v1", 21, "a"] });
  const incoming = testRecord({ title: ["v2", 22, "b"] });
  const past = { title: [[21, "a" as WriterId, valueHash(sha256, "v1")] as const] };
  const taken = healRecords(sha256, { stored, incoming, storedPast: {}, incomingPast: past });
  expect(taken.conflicts).toEqual([]);
  expect(taken.overwritten).toMatchObject([{ register: { value: "v1" } }]);
  const kept = healRecords(sha256, {
    stored: incoming,
    incoming: stored,
    storedPast: past,
    incomingPast: {},
  });
  expect(kept.conflicts).toEqual([]);
});

test("[HL2] a race is decided field by field; what is new or the same makes no conflict", () => {
  const stored = testRecord({
    title: ["mine", 5, "a"],
    kind: ["note", 1, "a"],
    only: ["here", 1, "a"],
  });
  const incoming = testRecord({
    title: ["theirs", 6, "b"],
    kind: ["note", 2, "b"],
    other: ["there", 1, "b"],
  });
  const healed = healRecords(sha256, { stored, incoming, ...nothing });
  expect(healed.conflicts).toHaveLength(1);
  expect(healed.conflicts).toMatchObject([{ registers: { value: { value: "mine" } } }]);
  expect(healed.overwritten).toEqual([
    {
      record: stored.id,
      field: "title",
      register: stored.registers["title"],
      replacedBy: { lamport: 6, writer: "b" },
    },
  ]);
  const kept = healRecords(sha256, { stored: incoming, incoming: stored, ...nothing });
  expect(kept.overwritten).toEqual([]);
});

test("[HL2] only a past of the same field that names the value says that it was seen", () => {
  const stored = testRecord({ title: ["v1", 21, "a"] });
  const incoming = testRecord({ title: ["v2", 22, "b"] });
  const seen = [21, "a" as WriterId, valueHash(sha256, "v1")] as const;
  const other = [20, "a" as WriterId, valueHash(sha256, "v0")] as const;
  const conflictsBy = (incomingPast: PastClocks): number =>
    healRecords(sha256, { stored, incoming, storedPast: { title: [seen] }, incomingPast }).conflicts
      .length;
  expect(conflictsBy({ title: [other, seen] })).toBe(0);
  expect(conflictsBy({ title: [other] })).toBe(1);
  expect(conflictsBy({ title: [] })).toBe(1);
  expect(conflictsBy({ narrative: [seen] })).toBe(1);
});

test("[CF5] one clock with two values, after a double restore: the lesser one is kept", () => {
  const stored = testRecord({ title: ["alpha", 2, "a"] });
  const incoming = testRecord({ title: ["beta", 2, "a"] });
  expect(healRecords(sha256, { stored, incoming, ...nothing })).toMatchObject({
    state: { registers: { title: { value: "beta" } } },
    conflicts: [{ registers: { value: { value: "alpha" } } }],
  });
});

test("[TB1] a tombstone ends a heal, with no conflict left behind", () => {
  const live = testRecord({ title: ["t", 9, "a"] });
  expect(healRecords(sha256, { stored: testTombstone(), incoming: live, ...nothing })).toEqual({
    state: testTombstone(),
    conflicts: [],
    overwritten: [],
  });
});

test("[HL2] no value is lost in a heal without a past", () => {
  fc.assert(
    fc.property(anyLive, anyLive, (stored, incoming) => {
      const healed = healRecords(sha256, { stored, incoming, ...nothing });
      if (!("registers" in healed.state)) throw new Error("two live states stay live");
      const kept = healed.conflicts.map((conflict) => conflict.registers["value"]?.value ?? null);
      for (const side of [stored, incoming]) {
        for (const [field, { value }] of Object.entries(side.registers)) {
          const current = healed.state.registers[field]?.value ?? null;
          expect(isSameValue(current, value) || kept.some((k) => isSameValue(k, value))).toBe(true);
        }
      }
    }),
    runs,
  );
});
