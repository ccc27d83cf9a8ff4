import fc from "fast-check";
import { expect, test } from "vitest";
import {
  bucketCount,
  bucketOf,
  emptyDigest,
  isSameSet,
  recordDigest,
  replaceInSet,
  sumDigests,
  xorDigests,
} from "./digest.ts";
import type { RecordId } from "./ids.ts";
import { mergeRecords } from "./merge.ts";
import { tombstone } from "./record.ts";
import { anyState } from "./testing/arbitraries.ts";
import { testRecord, testTombstone } from "./testing/records.ts";
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
      expect(sumDigests([emptyDigest, ...digests])).toBe(forward);
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

// Replicas of different versions compare digests, so these values must never change.
test("[DG1] a digest is the same in every version", () => {
  const record = testRecord({
    title: ["t", 7, "b"],
    'a "quoted" field': [{ b: [1, null], a: true }, 3, "a"],
  });
  expect(recordDigest(sha256, { ...record, parent: "p1" as RecordId })).toBe("0a745b4b94b90d7a");
  expect(recordDigest(sha256, testRecord({ title: ["t", 7, "b"] }))).toBe("c831e3aa7b7f4fec");
  expect(recordDigest(sha256, testTombstone())).toBe("431ec56614cc02a2");
});

test("[DG2] both halves of a digest are joined as unsigned numbers of fixed width", () => {
  expect(xorDigests("ffffffff00000001", "0000000100000003")).toBe("fffffffe00000002");
  expect(xorDigests("80000000f0000000", "00000000ffffffff")).toBe("800000000fffffff");
  expect(xorDigests("ffffffff00000001", "7fffffff00000003")).toBe("8000000000000002");
});

test("[DG2] a set counts what comes in and what goes out", () => {
  const set = { digest: "00000000000000aa", count: 1 };
  expect(replaceInSet(set, "00000000000000aa", "00000000000000bb")).toEqual({
    digest: "00000000000000bb",
    count: 1,
  });
  expect(replaceInSet(set, undefined, undefined)).toEqual(set);
  expect(isSameSet(set, { ...set, count: 2 })).toBe(false);
  expect(isSameSet(set, { ...set, digest: emptyDigest })).toBe(false);
  expect(isSameSet(set, { ...set })).toBe(true);
});

test("[DG3] a record's bucket is the same in every version", () => {
  const ids = ["a", "record1", "0123456789abcdefghijklmnop"] as readonly string[];
  expect(ids.map((id) => bucketOf(id as RecordId))).toEqual([237, 41, 153]);
});
