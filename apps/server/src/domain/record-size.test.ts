import type { LiveRecord, RecordId, Register, WriterId } from "@tidemark/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesOfDraft, bytesOfState } from "./record-size.ts";

const anyRegister: fc.Arbitrary<Register> = fc.record({
  value: fc.jsonValue() as fc.Arbitrary<Register["value"]>,
  clock: fc.record({
    lamport: fc.integer({ min: 1, max: 3 }),
    writer: fc.constantFrom("wa" as WriterId, "wb" as WriterId),
  }),
  at: fc.constantFrom(0, 1_700_000_000_000),
});

const anyFields = fc
  .dictionary(fc.constantFrom("title", "kind", "grüße", 'a "name"', "7"), anyRegister)
  .map((registers) => ({ ...registers }));

function recordOf(registers: LiveRecord["registers"]): LiveRecord {
  return { id: "record1" as RecordId, collection: "observation", registers };
}

test("[PS9] what a draft's record would take is what it takes once it is stored", () => {
  fc.assert(
    fc.property(anyFields, anyFields, (before, after) => {
      const record = recordOf(before);
      expect(bytesOfDraft(record)).toBe(bytesOfState(record));
      // Registers that stay were measured before.
      const changed = recordOf({ ...before, ...after });
      expect(bytesOfDraft(changed)).toBe(bytesOfState(changed));
    }),
    { numRuns: 1000, seed: 20261126 },
  );
});
