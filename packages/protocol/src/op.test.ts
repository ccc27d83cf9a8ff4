import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeOp } from "./decode.ts";
import type { RecordId, WriterId } from "./ids.ts";
import { opLine } from "./op.ts";
import { anyOp, sharedId } from "./testing/arbitraries.ts";

test("[OP1] an op has one line, whatever order its members were written in", () => {
  fc.assert(
    fc.property(anyOp, (op) => {
      const line = opLine(op);
      const shuffled = Object.fromEntries(Object.entries(op).toReversed()) as unknown as typeof op;
      expect(opLine(shuffled)).toBe(line);
      const decoded = decodeOp(line, 1);
      expect(decoded.ok && opLine(decoded.value)).toBe(line);
      expect(line).not.toContain("\n");
    }),
    { numRuns: 500, seed: 20261121 },
  );
});

// The bytes of a line are hashed into the chain, so a later version must not write another line.
test("[OP1] a line holds every member of its op, sorted, and nothing else", () => {
  const head = { n: 2, record: sharedId, collection: "c", lamport: 3, at: 4 };
  const fields = { b: 1, a: 2 };
  const base = { b: null, a: [1, "w" as WriterId, "h"] as const };
  expect(opLine({ ...head, op: "put", fields, parent: "p" as RecordId })).toBe(
    '{"at":4,"collection":"c","fields":{"a":2,"b":1},"lamport":3,"n":2,"op":"put","parent":"p","record":"record1"}',
  );
  expect(opLine({ ...head, op: "put", fields })).toBe(
    '{"at":4,"collection":"c","fields":{"a":2,"b":1},"lamport":3,"n":2,"op":"put","record":"record1"}',
  );
  expect(opLine({ ...head, op: "set", fields, base })).toBe(
    '{"at":4,"base":{"a":[1,"w","h"],"b":null},"collection":"c","fields":{"a":2,"b":1},"lamport":3,"n":2,"op":"set","record":"record1"}',
  );
  expect(opLine({ ...head, op: "forget" })).toBe(
    '{"at":4,"collection":"c","lamport":3,"n":2,"op":"forget","record":"record1"}',
  );
});
