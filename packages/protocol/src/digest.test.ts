import fc from "fast-check";
import { expect, test } from "vitest";
import {
  bucketCount,
  bucketOf,
  emptyDigest,
  isSameSet,
  recordDigest,
  replaceInSet,
  xorDigests,
} from "./digest.ts";
import type { RecordId } from "./ids.ts";
import { mergeRecords } from "./merge.ts";
import { tombstone } from "./record.ts";
import { anyState } from "./testing/arbitraries.ts";
import { testRecord } from "./testing/records.ts";
import { sha256 } from "./testing/sha256.ts";

const digestText = fc
  .tuple(fc.nat({ max: 0xffffffff }), fc.nat({ max: 0xffffffff }))
  .map(([high, low]) => high.toString(16).padStart(8, "0") + low.toString(16).padStart(8, "0"));

test("[DG1] merging in either order gives one digest", () => {
  fc.assert(
    fc.property(anyState, anyState, (a, b) => {
      const left = recordDigest(sha256, mergeRecords(a, b));
      expect(left).toBe(recordDigest(sha256, mergeRecords(b, a)));
    }),
    { numRuns: 500, seed: 20261121 },
  );
});

test("[DG1] value, clock, wall time, field name, collection and parent are covered", () => {
  const record = testRecord({ title: ["t", 1, "a"] });
  const [title] = Object.values(record.registers);
  if (title === undefined) throw new Error("the record has a title");
  const variants = [
    testRecord({ title: ["u", 1, "a"] }),
    testRecord({ title: ["t", 2, "a"] }),
    testRecord({ title: ["t", 1, "b"] }),
    testRecord({ titel: ["t", 1, "a"] }),
    { ...record, registers: { title: { ...title, at: 5 } } },
    { ...record, collection: "session" },
    { ...record, parent: "p" as RecordId },
    { ...record, id: "record2" as RecordId },
  ];
  const digests = new Set([record, ...variants].map((state) => recordDigest(sha256, state)));
  expect(digests.size).toBe(variants.length + 1);
});

test("[DG1] a tombstone's digest follows from its id alone", () => {
  const id = "record1" as RecordId;
  expect(recordDigest(sha256, tombstone(id, "observation"))).toBe(
    recordDigest(sha256, tombstone(id, "conflict")),
  );
});

test("[DG2] a set's digest is independent of order, and removing undoes adding", () => {
  fc.assert(
    fc.property(fc.array(digestText, { maxLength: 8 }), (digests) => {
      const forward = digests.reduce(xorDigests, emptyDigest);
      expect(forward).toBe(digests.toReversed().reduce(xorDigests, emptyDigest));
      expect(digests.reduce(xorDigests, forward)).toBe(emptyDigest);
    }),
    { numRuns: 500, seed: 20261121 },
  );
});

test("[DG2] a pair of equal digests cancels in the XOR but not in the count", () => {
  const empty = { digest: emptyDigest, count: 0 };
  const one = replaceInSet(empty, undefined, "00000000000000aa");
  const two = replaceInSet(one, undefined, "00000000000000aa");
  expect(two.digest).toBe(emptyDigest);
  expect(isSameSet(two, empty)).toBe(false);
  expect(replaceInSet(two, "00000000000000aa", undefined)).toEqual(one);
});

test("[DG3] buckets follow from the id and spread", () => {
  const counts = new Map<number, number>();
  for (let index = 0; index < 10_000; index += 1) {
    const bucket = bucketOf(`record${index}` as RecordId);
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  }
  expect(counts.size).toBe(bucketCount);
  expect(Math.max(...counts.values())).toBeLessThan(120);
});
