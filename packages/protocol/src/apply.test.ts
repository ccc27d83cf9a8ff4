import fc from "fast-check";
import { expect, test } from "vitest";
import { applyOp, type OpOutcome } from "./apply.ts";
import { compareClocks } from "./clock.ts";
import type { RecordId, WriterId } from "./ids.ts";
import { isSameValue } from "./merge.ts";
import type { PutOp, SetOp } from "./op.ts";
import { isTombstone, tombstone, type RecordState } from "./record.ts";
import { anyLive, anyOp, anyState, anyWriter, sharedId } from "./testing/arbitraries.ts";
import { testRecord, testTombstone } from "./testing/records.ts";
import { limits } from "./limits.ts";
import { sha256 } from "./testing/sha256.ts";
import { valueHash } from "./value-hash.ts";

const writerB = "b" as WriterId;
const runs = { numRuns: 1000, seed: 20261121 };

function setTitle(value: string, lamport: number, base: SetOp["base"]): SetOp {
  return {
    n: 1,
    record: sharedId,
    collection: "observation",
    lamport,
    at: 0,
    op: "set",
    fields: { title: value },
    base,
  };
}

function apply(op: PutOp | SetOp, stored: RecordState | undefined): OpOutcome {
  return applyOp(op, { sha256, writer: writerB, stored });
}

test("[CF1] a set on what its author saw is no conflict", () => {
  const stored = testRecord({ title: ["old", 4, "a"] });
  const base = { title: [4, "a" as WriterId, valueHash(sha256, "old")] as const };
  const outcome = apply(setTitle("new", 5, base), stored);
  expect(outcome).toMatchObject({ kind: "applied", conflicts: [] });
  expect(outcome).toMatchObject({ overwritten: [{ field: "title", register: { value: "old" } }] });
});

test("[CF1] two writers unaware of each other: the loser is kept as a conflict record", () => {
  const stored = testRecord({ title: ["from a", 5, "a"] });
  const base = { title: [3, "a" as WriterId, valueHash(sha256, "older")] as const };
  const outcome = apply(setTitle("from b", 5, base), stored);
  expect(outcome).toMatchObject({
    kind: "conflict",
    state: { registers: { title: { value: "from b" } } },
    conflicts: [
      {
        collection: "conflict",
        parent: sharedId,
        registers: {
          field: { value: "title" },
          value: { value: "from a" },
          lamport: { value: 5 },
          writer: { value: "a" },
        },
      },
    ],
  });
});

test("[CF1] the incoming value may be the loser, and is kept as well", () => {
  const stored = testRecord({ title: ["from a", 9, "a"] });
  const outcome = apply(setTitle("from b", 5, {}), stored);
  expect(outcome).toMatchObject({
    kind: "conflict",
    state: { registers: { title: { value: "from a" } } },
    conflicts: [{ registers: { value: { value: "from b" }, writer: { value: "b" } } }],
    overwritten: [],
  });
});

test("[CF1] a value that loses by its clock is kept whatever its base names: above the last clock there is none", () => {
  const last = limits.lamportMax;
  const stored = testRecord({ title: ["from z", last, "z"] });
  const base = { title: [last, "z" as WriterId, valueHash(sha256, "from z")] as const };
  expect(apply(setTitle("from b", last, base), stored)).toMatchObject({
    kind: "conflict",
    state: { registers: { title: { value: "from z" } } },
    conflicts: [{ registers: { value: { value: "from b" } } }],
  });
  expect(apply(setTitle("from z", last, base), stored)).toMatchObject({ kind: "applied" });
});

test("[CF1] a base with the right clock and another value is no base", () => {
  const stored = testRecord({ title: ["rewritten", 4, "a"] });
  const base = { title: [4, "a" as WriterId, valueHash(sha256, "what I saw")] as const };
  expect(apply(setTitle("new", 5, base), stored).kind).toBe("conflict");
});

test("[CF3] a put of an id that exists is a set without base", () => {
  const stored = testRecord({ title: ["one", 4, "a"] });
  const put: PutOp = {
    n: 1,
    record: sharedId,
    collection: "observation",
    lamport: 6,
    at: 0,
    op: "put",
    fields: { title: "two", kind: "note" },
  };
  expect(apply(put, stored)).toMatchObject({
    kind: "conflict",
    state: { registers: { title: { value: "two" }, kind: { value: "note" } } },
    conflicts: [{ registers: { value: { value: "one" } } }],
  });
});

test("[CF4] equal values never conflict, and the higher clock takes the field", () => {
  const stored = testRecord({ title: ["same", 4, "a"] });
  const outcome = apply(setTitle("same", 6, {}), stored);
  expect(outcome).toMatchObject({
    kind: "applied",
    state: { registers: { title: { clock: { lamport: 6, writer: "b" } } } },
    overwritten: [],
  });
});

test.each([
  ["lamport", [3, "a"]],
  ["writer", [4, "b"]],
] as const)(
  "[CF1] a base with the right value and another %s is no base",
  (_, [lamport, writer]) => {
    const stored = testRecord({ title: ["old", 4, "a"] });
    const base = { title: [lamport, writer as WriterId, valueHash(sha256, "old")] as const };
    expect(apply(setTitle("new", 5, base), stored).kind).toBe("conflict");
  },
);

test("[CF1] a base that says that nothing was there names no value", () => {
  const stored = testRecord({ title: ["old", 4, "a"] });
  expect(apply(setTitle("new", 5, { title: null }), stored).kind).toBe("conflict");
});

test("a put makes a record of what it says, under its parent where that lives", () => {
  const put: PutOp = {
    n: 1,
    record: sharedId,
    collection: "note",
    lamport: 3,
    at: 8,
    op: "put",
    fields: { text: "t" },
  };
  const state = {
    id: sharedId,
    collection: "note",
    registers: { text: { value: "t", clock: { lamport: 3, writer: writerB }, at: 8 } },
  };
  const done = { kind: "applied", conflicts: [], overwritten: [] };
  expect(apply(put, undefined)).toStrictEqual({ ...done, state });
  const parent = "parent" as RecordId;
  const parents = [undefined, testRecord({ title: ["t", 1, "a"] }, parent)];
  for (const known of parents) {
    const context = { sha256, writer: writerB, stored: undefined, parent: known };
    expect(applyOp({ ...put, parent }, context)).toEqual({ ...done, state: { ...state, parent } });
  }
});

test("[OP3] a set of an unknown record says so and changes nothing", () => {
  expect(apply(setTitle("x", 1, {}), undefined)).toEqual({ kind: "unknown-record" });
});

test("[TB1] nothing brings a forgotten record back", () => {
  fc.assert(
    fc.property(anyOp, anyWriter, (op, writer) => {
      const outcome = applyOp(op, { sha256, writer, stored: testTombstone() });
      expect(outcome.kind).toBe("forgotten");
    }),
    runs,
  );
});

test("[TB2] forgetting an unknown record makes its tombstone", () => {
  const head = { n: 1, record: sharedId, collection: "observation", lamport: 1, at: 0 };
  expect(
    applyOp({ ...head, op: "forget" }, { sha256, writer: writerB, stored: undefined }),
  ).toEqual({ kind: "erased", state: tombstone(sharedId, "observation") });
});

test("[TB3] a child of a forgotten parent is a tombstone on arrival", () => {
  const put: PutOp = {
    n: 1,
    record: "child" as RecordId,
    collection: "note",
    parent: sharedId,
    lamport: 1,
    at: 0,
    op: "put",
    fields: { text: "late" },
  };
  const context = { sha256, writer: writerB, stored: undefined, parent: testTombstone() };
  expect(applyOp(put, context)).toEqual({
    kind: "forgotten",
    state: tombstone("child" as RecordId, "note"),
  });
});

test("[OP24] nothing is put two below another record, nor below itself", () => {
  const put: PutOp = {
    n: 1,
    record: "child" as RecordId,
    collection: "note",
    parent: sharedId,
    lamport: 1,
    at: 0,
    op: "put",
    fields: { text: "a line below" },
  };
  const above = testRecord({ title: ["t", 1, "a"] });
  const context = { sha256, writer: writerB, stored: undefined };
  const refused = { kind: "rejected", code: "invalid" };
  const deep = { ...above, parent: "top" as RecordId };
  expect(applyOp(put, { ...context, parent: deep })).toEqual(refused);
  expect(applyOp({ ...put, record: sharedId }, context)).toEqual(refused);
  // A parent that is not known is no reason to refuse: a restored server gets it later.
  for (const parent of [above, undefined]) {
    expect(applyOp(put, { ...context, parent })).toMatchObject({ kind: "applied" });
  }
});

test("[CF6] a conflict record is immutable: only forget touches it", () => {
  const conflict = { ...testRecord({ value: ["kept", 1, "a"] }), collection: "conflict" };
  const set: SetOp = { ...setTitle("x", 2, {}), collection: "conflict" };
  expect(apply(set, conflict)).toEqual({ kind: "rejected", code: "immutable" });
});

test("[OP5] an op that names another collection than the record's is rejected", () => {
  const set: SetOp = { ...setTitle("x", 2, {}), collection: "session" };
  expect(apply(set, testRecord({ title: ["t", 1, "a"] }))).toEqual({
    kind: "rejected",
    code: "collection-mismatch",
  });
});

test("[CF1] no value that loses to an unaware write disappears", () => {
  fc.assert(
    fc.property(anyLive, anyOp, anyWriter, (stored, op, writer) => {
      const outcome = applyOp(op, { sha256, writer, stored });
      if (outcome.kind !== "applied" && outcome.kind !== "conflict") return;
      if (op.op === "forget") return;
      const kept = outcome.conflicts.map((conflict) => conflict.registers["value"]?.value ?? null);
      for (const [field, value] of Object.entries(op.fields)) {
        const current = outcome.state.registers[field];
        const before = stored.registers[field];
        expect(current).toBeDefined();
        if (current === undefined || before === undefined) continue;
        for (const lost of [value, before.value]) {
          const isThere =
            isSameValue(current.value, lost) || kept.some((k) => isSameValue(k, lost));
          expect(isThere).toBe(true);
        }
        expect(compareClocks(current.clock, before.clock)).toBeGreaterThanOrEqual(0);
      }
    }),
    runs,
  );
});

test("[OP2] applying an op twice is applying it once", () => {
  fc.assert(
    fc.property(anyState, anyOp, anyWriter, (stored, op, writer) => {
      const once = applyOp(op, { sha256, writer, stored });
      if (!("state" in once)) return;
      const twice = applyOp(op, { sha256, writer, stored: once.state });
      if (!("state" in twice)) throw new Error("an applied op stays applicable");
      expect(twice.state).toEqual(once.state);
      expect(isTombstone(twice.state)).toBe(isTombstone(once.state));
    }),
    runs,
  );
});
