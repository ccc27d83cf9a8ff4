import fc from "fast-check";
import { expect, test } from "vitest";
import { compactState } from "./compact.ts";
import { recordDigest } from "./digest.ts";
import type { RecordId } from "./ids.ts";
import { canonicalJson, type JsonValue } from "./json.ts";
import { highestLamport } from "./record.ts";
import { storedRecord } from "./stored.ts";
import { anyLive } from "./testing/arbitraries.ts";
import { testRecord } from "./testing/records.ts";
import { sha256 } from "./testing/sha256.ts";

test("[MG7] what is stored of a record is its compact form, each map in its one text", () => {
  fc.assert(
    fc.property(anyLive, (record) => {
      const compact = compactState(record);
      if ("forgotten" in compact) throw new Error("the record is live");
      const { lamport, writer, at, fields, clocks } = compact;
      expect(storedRecord(sha256, record)).toEqual({
        lamport,
        writer,
        at,
        fields: canonicalJson(fields),
        clocks: clocks === undefined ? null : canonicalJson(clocks as unknown as JsonValue),
        digest: recordDigest(sha256, record),
        lamportMax: highestLamport(record),
      });
    }),
    { numRuns: 1000, seed: 20261122 },
  );
});

test("[DG1] the digest that is stored covers a parent and names that need quotes", () => {
  const record = testRecord({
    title: ["t", 7, "b"],
    'a "quoted" field': [{ b: [1, null], a: true }, 3, "a"],
  });
  const stored = storedRecord(sha256, { ...record, parent: "p1" as RecordId });
  expect(stored.digest).toBe("0a745b4b94b90d7a");
  expect(stored.fields).toBe(
    String.raw`{"a \"quoted\" field":{"a":true,"b":[1,null]},"title":"t"}`,
  );
  expect(stored.clocks).toBe('{"title":[7,"b",0]}');
});
