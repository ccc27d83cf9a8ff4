import fc from "fast-check";
import { expect, test } from "vitest";
import { applyOp } from "../apply.ts";
import { canonicalJson } from "../json.ts";
import { conflictRecord } from "../conflict.ts";
import { readCanonicalPut } from "../canonical-put.ts";
import { decodeOp } from "../decode.ts";
import type { NamespaceId, RecordId, WriterId } from "../ids.ts";
import { limits } from "../limits.ts";
import { opLine, type Op, type PutOp, type SetOp } from "../op.ts";
import type { LiveRecord } from "../record.ts";
import { tombstone } from "../record.ts";
import { anyOp, anyWriter } from "../testing/arbitraries.ts";
import { sealCipher } from "../testing/seal-cipher.ts";
import { sha256 } from "../testing/sha256.ts";
import { createKeyRing } from "./key-ring.ts";
import { openState } from "./open-state.ts";
import { openOp, sealOp } from "./sealed-op.ts";
import { refusalOfOp, refusalOfState } from "./sealed-rules.ts";

const runs = { numRuns: 500, seed: 20261123 };
const names = new Uint8Array(32).fill(9);
const epochs = new Map([[4, new Uint8Array(32).fill(4)]]);
const ring = createKeyRing(sealCipher, { namespace: "nse_a" as NamespaceId, names, epochs });
const bare = createKeyRing(sealCipher, {
  namespace: "nse_a" as NamespaceId,
  names,
  epochs: new Map(),
});
const writer = "wa" as WriterId;
const record = "r1" as RecordId;
const head = { n: 1, record, collection: "observation", lamport: 3, at: 5 };
const put: PutOp = { ...head, op: "put", fields: { title: "one", "tag/acme": true } };
const set: SetOp = {
  ...head,
  lamport: 4,
  op: "set",
  fields: { title: "two" },
  base: { title: [3, writer, "h"] },
};
const sealedMode = { kind: "sealed", epoch: 4 } as const;
const plainMode = { kind: "plain" } as const;

function sealed<T extends Op>(op: T): T {
  return sealOp(ring, op, writer) as T;
}

function live(op: Op, by = writer): LiveRecord {
  const outcome = applyOp(op, { sha256, writer: by, stored: undefined });
  if (outcome.kind !== "applied") throw new Error(outcome.kind);
  return outcome.state;
}

test("[EE1] an op that is sealed opens as it was, bases included", () => {
  fc.assert(
    fc.property(anyOp, anyWriter, (op, by) => {
      const closed = sealOp(ring, op, by);
      expect(closed === undefined ? undefined : openOp(ring, closed, by)).toEqual(op);
    }),
    runs,
  );
});

test("[EE1] a sealed op shows no name and no value, and its line reads as a canonical one", () => {
  const line = opLine(sealed(put));
  for (const word of ["title", "one", "acme", "tag"]) expect(line).not.toContain(word);
  expect(decodeOp(line, 1)).toEqual({ ok: true, value: sealed(put) });
  expect(readCanonicalPut(line, 1)).toBeDefined();
  expect(Object.keys(sealed(set).base)).toEqual([ring.fieldId(record, "title")]);
});

test("[EE1] without a key nothing is sealed but what erases, which says nothing", () => {
  expect(sealOp(bare, put, writer)).toBeUndefined();
  const forget: Op = { ...head, op: "forget" };
  expect(sealOp(bare, forget, writer)).toBe(forget);
  expect(openOp(bare, forget, writer)).toBe(forget);
});

test("[EE4] a field of an op that does not open is left out, with its base", () => {
  expect(openOp(bare, sealed(set), writer)).toEqual({ ...set, fields: {}, base: {} });
  expect(openOp(ring, sealed(put), "wb" as WriterId)).toEqual({ ...put, fields: {} });
});

test("[EE5] a namespace of sealed values takes sealed ops of its epoch alone (abuse 146)", () => {
  expect(refusalOfOp(sealed(put), sealedMode)).toBeUndefined();
  expect(refusalOfOp(sealed(set), sealedMode)).toBeUndefined();
  expect(refusalOfOp({ ...head, op: "forget" }, sealedMode)).toBeUndefined();
  expect(refusalOfOp(put, sealedMode)).toBe("plain-value");
  expect(refusalOfOp(sealed(put), { kind: "sealed", epoch: 5 })).toBe("invalid");
  const half = { ...sealed(put), fields: { ...sealed(put).fields, title: "clear" } };
  expect(refusalOfOp(half, sealedMode)).toBe("plain-value");
  const named = { ...put, fields: { title: Object.values(sealed(put).fields)[0] ?? null } };
  expect(refusalOfOp(named, sealedMode)).toBe("plain-value");
  expect(refusalOfOp({ ...sealed(set), base: set.base }, sealedMode)).toBe("plain-value");
});

test("[EE5] a plain namespace takes no sealed values, however its puts are read", () => {
  expect(refusalOfOp(put, plainMode)).toBeUndefined();
  expect(refusalOfOp(set, plainMode)).toBeUndefined();
  expect(refusalOfOp(sealed(put), plainMode)).toBe("sealed-value");
  expect(refusalOfOp(sealed(set), plainMode)).toBe("sealed-value");
  const canonical = readCanonicalPut(opLine(sealed(put)), 1);
  expect(canonical && refusalOfOp(canonical, plainMode)).toBe("sealed-value");
  const quoted = opLine({ ...put, fields: { title: 'he wrote "sealed1.' } });
  const read = readCanonicalPut(quoted, 1);
  expect(read && refusalOfOp(read, plainMode)).toBeUndefined();
});

test("[EE5] a heal brings sealed states of any epoch, and conflicts of sealed values", () => {
  const state = live(sealed(put));
  expect(refusalOfState(state, true)).toBeUndefined();
  expect(refusalOfState(state, false)).toBe("sealed-value");
  expect(refusalOfState(live(put), true)).toBe("plain-value");
  expect(refusalOfState(live(put), false)).toBeUndefined();
  expect(refusalOfState(tombstone(record, "observation"), true)).toBeUndefined();
  const [[fieldId, register] = []] = Object.entries(state.registers);
  const conflict = conflictRecord(sha256, record, fieldId ?? "", register ?? none);
  expect(refusalOfState(conflict, true)).toBeUndefined();
  expect(refusalOfState(conflictRecord(sha256, record, "title", register ?? none), true)).toBe(
    "plain-value",
  );
  const clear = { ...none, value: "clear" };
  expect(refusalOfState(conflictRecord(sha256, record, fieldId ?? "", clear), true)).toBe(
    "plain-value",
  );
});

const none = { value: null, clock: { lamport: 1, writer }, at: 0 };

test("[EE4] a record opens field by field, and counts what stays shut", () => {
  const state = live(sealed(put));
  expect(openState(ring, state)).toEqual({
    state: live(put),
    closed: { plain: 0, "no-key": 0, forged: 0 },
  });
  expect(openState(bare, state)).toEqual({
    state: undefined,
    closed: { plain: 0, "no-key": 2, forged: 0 },
  });
  const later = Object.entries(state.registers).map(([id, one]) => [
    id,
    { ...one, at: one.at + 1 },
  ]);
  const told = openState(ring, { ...state, registers: Object.fromEntries(later) });
  expect(told.state).toEqual(live(put));
  const bent = { ...state, registers: { ...state.registers, title: { ...none, value: "put in" } } };
  expect(openState(ring, bent)).toEqual({
    state: live(put),
    closed: { plain: 1, "no-key": 0, forged: 0 },
  });
});

test("[EE4] a conflict record opens for the register that lost, and for no other (abuse 144)", () => {
  const fieldId = ring.fieldId(record, "title");
  const loser = live(sealed(put)).registers[fieldId] ?? none;
  const kept = conflictRecord(sha256, record, fieldId, loser);
  const opened = openState(ring, kept).state;
  expect(opened?.registers["field"]?.value).toBe("title");
  expect(opened?.registers["value"]?.value).toBe("one");
  expect(opened?.registers["lamport"]?.value).toBe(3);
  for (const [name, value] of [
    ["lamport", 4],
    ["writer", "wb"],
    ["field", ring.fieldId(record, "facts")],
    ["value", "clear"],
    ["lamport", "3"],
    ["writer", 1],
    ["lostAt", null],
    ["field", 7],
  ] as const) {
    const bent = { ...kept, registers: { ...kept.registers, [name]: { ...none, value } } };
    expect(openState(ring, bent).state).toBeUndefined();
  }
  const later = { ...kept.registers, lostAt: { ...none, value: 6 } };
  expect(openState(ring, { ...kept, registers: later }).state?.registers["lostAt"]?.value).toBe(5);
  expect(openState(ring, { ...kept, parent: "r2" as RecordId }).closed.forged).toBe(1);
  const { parent: _, ...orphan } = kept;
  expect(openState(ring, orphan).closed.forged).toBe(1);
  expect(openState(bare, kept).closed["no-key"]).toBe(1);
});

test("[EE2] the largest op a device makes fits sealed into what a server takes", () => {
  const many = Object.fromEntries(
    Array.from({ length: limits.fieldsMax }, (_, index) => [`f${index}`, "x".repeat(200)]),
  );
  const one = { title: "é".repeat(30_000) };
  for (const fields of [many, one]) {
    const op = { ...put, fields };
    expect(Buffer.byteLength(opLine(op))).toBeLessThanOrEqual(limits.opBytesMax);
    expect(Buffer.byteLength(opLine(sealed(op)))).toBeLessThanOrEqual(limits.sealedOpBytesMax);
  }
  expect(canonicalJson(sealed(put).fields)).not.toContain("null");
});
