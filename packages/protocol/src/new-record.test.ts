import fc from "fast-check";
import { expect, test } from "vitest";
import { applyOp } from "./apply.ts";
import { readCanonicalPut } from "./canonical-put.ts";
import { compactState } from "./compact.ts";
import { decodeOp } from "./decode.ts";
import { recordDigest } from "./digest.ts";
import type { RecordId, WriterId } from "./ids.ts";
import { digestOf, fieldCountOf, NewRecord } from "./new-record.ts";
import { opLine, type PutOp } from "./op.ts";
import type { LiveRecord } from "./record.ts";
import { testRecord, testTombstone } from "./testing/records.ts";
import { sha256 } from "./testing/sha256.ts";

const writer = "writer_a" as WriterId;
const head = { n: 3, record: "r1" as RecordId, collection: "note", lamport: 5, at: 9 };
const anyFields = fc.dictionary(
  fc.constantFrom("a", "ab", "a_b", "B1", "title", "valueOf_"),
  fc.oneof(
    fc.string({ unit: fc.constantFrom('"', "\\", ",", "{", ":", "\n", "$1", "$&", "a", "é") }),
    fc.array(
      fc.oneof(fc.string(), fc.constantFrom(":", ":a", "{", "\\"), fc.integer(), fc.constant(null)),
    ),
    fc.boolean(),
  ),
  { minKeys: 1 },
);
const anyPut = fc
  .record({ fields: anyFields, parent: fc.constantFrom("p1", undefined) })
  .map(({ fields, parent }): PutOp => {
    const below = parent === undefined ? head : { ...head, parent: parent as RecordId };
    return { ...below, op: "put", fields: { ...fields } };
  });

/** A record as the put's text makes it, and as the parsed put does. */
function bothWays(op: PutOp): { readonly quick: NewRecord; readonly slow: LiveRecord } {
  const line = opLine(op);
  const put = readCanonicalPut(line, op.n);
  const decoded = decodeOp(line, op.n);
  if (put === undefined || !decoded.ok) throw new Error(`not read: ${line}`);
  const [quick, slow] = [put, decoded.value].map((each) => {
    const outcome = applyOp(each, { sha256, writer, stored: undefined });
    if (outcome.kind !== "applied") throw new Error(outcome.kind);
    return outcome.state;
  });
  if (!(quick instanceof NewRecord) || slow === undefined) throw new Error("not from its text");
  return { quick, slow };
}

test("[OP6, DG1] a record from a put's text has the digest of its registers", () => {
  fc.assert(
    fc.property(anyPut, (op) => {
      const { quick, slow } = bothWays(op);
      expect(digestOf(sha256, quick)).toBe(recordDigest(sha256, slow));
      expect(recordDigest(sha256, quick)).toBe(recordDigest(sha256, slow));
    }),
    { numRuns: 1000, seed: 20261122 },
  );
});

test("[OP6, MG7] a record from a put's text has the compact form of its registers", () => {
  fc.assert(
    fc.property(anyPut, (op) => {
      const { quick, slow } = bothWays(op);
      expect(quick.registers).toEqual(slow.registers);
      expect(quick.parent).toBe(slow.parent);
      const { fields, ...stamp } = quick.text;
      const { id, collection } = quick;
      const compact = compactState(slow);
      expect(compact).toMatchObject({ id, collection, ...stamp });
      expect("fields" in compact ? JSON.stringify(compact.fields) : "").toBe(fields);
      expect(fieldCountOf(quick)).toBe(fieldCountOf(slow));
    }),
    { numRuns: 1000, seed: 20261123 },
  );
});

test("[OP2] a later op changes a record from a put's text as any other", () => {
  const op: PutOp = { ...head, op: "put", fields: { a: "one", b: 1 } };
  const { quick, slow } = bothWays(op);
  const set = { ...op, lamport: 6, op: "set", fields: { a: "two" }, base: {} } as const;
  const outcomes = [quick, slow].map((stored) => applyOp(set, { sha256, writer, stored }));
  expect(outcomes[0]).toEqual(outcomes[1]);
  expect(outcomes[0]).toMatchObject({ state: { registers: { a: { value: "two" } } } });
});

test("[DG1] the digest of every other state is that of its registers", () => {
  for (const state of [testRecord({ a: [1, 1, "w"], b: [2, 2, "w"] }), testTombstone()]) {
    expect(digestOf(sha256, state)).toBe(recordDigest(sha256, state));
  }
  expect(fieldCountOf(testRecord({ a: [1, 1, "w"], b: [2, 2, "w"] }))).toBe(2);
  expect(fieldCountOf(testTombstone())).toBe(0);
});
