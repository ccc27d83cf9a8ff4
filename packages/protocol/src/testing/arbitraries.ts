import fc from "fast-check";
import { isCanonical } from "../canonical.ts";
import type { RecordId, WriterId } from "../ids.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { Base, Op } from "../op.ts";
import { tombstone, type LiveRecord, type RecordState, type Register } from "../record.ts";

// Few writers, lamports, fields and values: ties and collisions must be common.
const writers: readonly WriterId[] = ["wa", "wb", "wc"] as unknown as readonly WriterId[];
const fieldNames: readonly string[] = ["title", "narrative", "tag/x", "later field"];

/** One record id that all generated states share. */
export const sharedId: RecordId = "record1" as RecordId;

/** Any storable field value, small ones most of the time. */
export const anyValue: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<JsonValue>("a", "b", 1, null, false) },
  {
    weight: 1,
    arbitrary: fc
      .jsonValue({ maxDepth: 3 })
      .map((value) => value as JsonValue)
      .filter((value) => isCanonical(value)),
  },
);

/** A register with a clock from a small space. */
export const anyRegister: fc.Arbitrary<Register> = fc.record({
  value: anyValue,
  clock: fc.record({
    lamport: fc.integer({ min: 1, max: 4 }),
    writer: fc.constantFrom(...writers),
  }),
  at: fc.integer({ min: 0, max: 3 }),
});

/** A live state of {@link sharedId}. */
export const anyLive: fc.Arbitrary<LiveRecord> = fc
  .dictionary(fc.constantFrom(...fieldNames), anyRegister, { minKeys: 1 })
  .map((registers) => ({ id: sharedId, collection: "observation", registers: { ...registers } }));

/** A live state or, now and then, the tombstone. */
export const anyState: fc.Arbitrary<RecordState> = fc.oneof(
  { weight: 6, arbitrary: anyLive },
  { weight: 1, arbitrary: fc.constant<RecordState>(tombstone(sharedId, "observation")) },
);

const anyFields: fc.Arbitrary<JsonObject> = fc
  .dictionary(fc.constantFrom(...fieldNames), anyValue, { minKeys: 1 })
  .map((fields) => ({ ...fields }));

/** An op on {@link sharedId} with `n` 1. */
export const anyOp: fc.Arbitrary<Op> = fc
  .record({
    lamport: fc.integer({ min: 1, max: 5 }),
    at: fc.integer({ min: 0, max: 3 }),
    kind: fc.constantFrom("put" as const, "set" as const, "forget" as const),
    fields: anyFields,
  })
  .map(({ lamport, at, kind, fields }): Op => {
    const head = { n: 1, record: sharedId, collection: "observation", lamport, at };
    if (kind === "forget") return { ...head, op: "forget" };
    if (kind === "put") return { ...head, op: "put", fields };
    const base: Base = Object.fromEntries(Object.keys(fields).map((field) => [field, null]));
    return { ...head, op: "set", fields, base };
  });

/** A writer from the shared few. */
export const anyWriter: fc.Arbitrary<WriterId> = fc.constantFrom(...writers);
