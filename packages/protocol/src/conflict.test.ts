import fc from "fast-check";
import { expect, test } from "vitest";
import { applyOp } from "./apply.ts";
import { conflictRecord } from "./conflict.ts";
import { recordDigest } from "./digest.ts";
import { healRecords } from "./heal.ts";
import type { WriterId } from "./ids.ts";
import { anyRegister, sharedId } from "./testing/arbitraries.ts";
import { testRecord } from "./testing/records.ts";
import { sha256 } from "./testing/sha256.ts";

test("[CF2] a push and a heal make the same bytes of the same loser", () => {
  const stored = testRecord({ title: ["from a", 5, "a"] });
  const pushed = applyOp(
    {
      n: 1,
      record: sharedId,
      collection: "observation",
      lamport: 6,
      at: 9,
      op: "set",
      fields: { title: "from b" },
      base: {},
    },
    { sha256, writer: "b" as WriterId, stored },
  );
  const incoming = testRecord({ title: ["from b", 6, "b"] });
  const healed = healRecords(sha256, { stored, incoming, storedPast: {}, incomingPast: {} });
  const fromPush = pushed.kind === "conflict" ? pushed.conflicts : [];
  expect(fromPush).toHaveLength(1);
  expect(healed.conflicts).toEqual(fromPush);
});

test("[CF2] record, field, clock and value each make another conflict record", () => {
  fc.assert(
    fc.property(anyRegister, (loser) => {
      const higher = { ...loser, clock: { ...loser.clock, lamport: loser.clock.lamport + 1 } };
      const ids = [
        conflictRecord(sha256, sharedId, "title", loser),
        conflictRecord(sha256, sharedId, "narrative", loser),
        conflictRecord(sha256, "other" as typeof sharedId, "title", loser),
        conflictRecord(sha256, sharedId, "title", higher),
        conflictRecord(sha256, sharedId, "title", { ...loser, value: [loser.value] }),
      ].map((record) => record.id);
      expect(new Set(ids).size).toBe(ids.length);
      const again = conflictRecord(sha256, sharedId, "title", structuredClone(loser));
      const first = conflictRecord(sha256, sharedId, "title", loser);
      expect(recordDigest(sha256, again)).toBe(recordDigest(sha256, first));
    }),
    { numRuns: 300, seed: 20261121 },
  );
});

// Two versions that meet must give a losing value the same record.
test("[CF2] a conflict record has the same id and registers in every version", () => {
  const clock = { lamport: 5, writer: "a" as WriterId };
  const loser = { value: "lost", clock, at: 9 };
  const register = (value: string | number) => ({ value, clock, at: 9 });
  expect(conflictRecord(sha256, sharedId, "title", loser)).toEqual({
    id: "hosjb3dq9f54l4q62a71kenl5o",
    collection: "conflict",
    parent: sharedId,
    registers: {
      field: register("title"),
      value: register("lost"),
      lamport: register(5),
      writer: register("a"),
      lostAt: register(9),
    },
  });
});

test("[CF2] a register that loses again and again is made a conflict record once", () => {
  const loser = { value: "lost", clock: { lamport: 3, writer: "b" as WriterId }, at: 9 };
  const kept = conflictRecord(sha256, sharedId, "title", loser);
  expect(conflictRecord(sha256, sharedId, "title", loser)).toBe(kept);
  expect(conflictRecord(sha256, sharedId, "note", loser).id).not.toBe(kept.id);
});
