import {
  limits,
  type LiveRecord,
  type RecordId,
  type Register,
  type WriterId,
} from "@tidemark/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesAtMost, bytesOfDraft, bytesOfState, utf8Bytes } from "./record-size.ts";

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

const many = Array.from({ length: limits.fieldsMax }, (_, index) => index);
const escapes = "\u0001".repeat(limits.fieldNameMax - 3);

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

/** A record whose fields have each a clock as long as any, and the bytes of what was told of it. */
function worstOf(fields: Readonly<Record<string, string>>): readonly [LiveRecord, number] {
  const registers = Object.entries(fields).map(([name, told], index) => {
    const writer = "w".repeat(limits.idMax) as WriterId;
    const clock = { lamport: limits.lamportMax - index, writer };
    const value = JSON.parse(told) as Register["value"];
    return [name, { value, clock, at: -limits.lamportMax }];
  });
  const told = Object.entries(fields).map(([name, value]) => `${JSON.stringify(name)}:${value}`);
  const record = recordOf(Object.fromEntries(registers) as LiveRecord["registers"]);
  return [record, utf8Bytes(`{${told.join(",")}}`)];
}

test.each([
  ["numbers that are written out", () => ({ a: `[${Array(5000).fill("9e15").join(",")}]` })],
  ["clocks for all", () => Object.fromEntries(many.map((index) => [index.toString(36), "1"]))],
  ["names of escapes", () => Object.fromEntries(many.map((index) => [escapes + index, "1"]))],
])("[PS9] a record takes no more than the bound of what was told: %s", (_, fields) => {
  const [record, told] = worstOf(fields());
  expect(bytesOfDraft(record)).toBeGreaterThan(told);
  expect(bytesOfDraft(record)).toBeLessThanOrEqual(bytesAtMost(Object.keys(fields()).length, told));
});
