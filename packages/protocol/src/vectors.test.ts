import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { applyOp } from "./apply.ts";
import { canonicalValue } from "./canonical.ts";
import { chainNext, chainStart } from "./chain.ts";
import { compactState } from "./compact.ts";
import { bucketOf, recordDigest, sumDigests } from "./digest.ts";
import { healRecords } from "./heal.ts";
import { base32, derivedId, type RecordId, type WriterId } from "./ids.ts";
import { canonicalJson } from "./json.ts";
import { mergeRecords } from "./merge.ts";
import { opLine, type BaseEntry, type Op, type PutOp, type SetOp } from "./op.ts";
import type { RecordState } from "./record.ts";
import { valueHash } from "./value-hash.ts";

const folder = new URL("../../../docs/protocol/", import.meta.url);
const sha256 = (text: string): Uint8Array => createHash("sha256").update(text).digest();
const first = "0a".repeat(13) as WriterId;
const second = "1b".repeat(13) as WriterId;
const record = "2c".repeat(13) as RecordId;
const at = 1_767_225_600_000;

function canonicalVectors(): readonly object[] {
  const values: readonly unknown[] = [
    { b: 1, a: [true, null, "x"] },
    { ä: 0, a: 1.5, A: -12, z: 1e-7 },
    'tab\t, quote", slash/, line\n, é, 🦉',
    "nul\u0000 and half a pair \ud83e.",
    { deep: [[[[[[[1]]]]]]] },
    9_007_199_254_740_992,
    { constructor: 1 },
    { deep: [[[[[[[[1]]]]]]]] },
  ];
  return values.map((value) => {
    const stored = canonicalValue(value);
    // As escapes: not every tool carries half a pair through a file.
    const json = JSON.stringify(value);
    if (!stored.ok) return { json, refused: stored.error.kind };
    return { json, text: canonicalJson(stored.value), hash: valueHash(sha256, stored.value) };
  });
}

function idVectors(): object {
  const bytes = Uint8Array.from({ length: 16 }, (_, index) => index * 17);
  return {
    base32: { bytes: Buffer.from(bytes).toString("hex"), text: base32(bytes) },
    derived: {
      purpose: "example",
      parts: ["a", "b c"],
      id: derivedId(sha256, "example", ["a", "b c"]),
    },
  };
}

const put: PutOp = {
  n: 1,
  op: "put",
  record,
  collection: "observation",
  lamport: 7,
  at,
  fields: { title: "Retries twice", kind: "fact", tags: ["http"] },
};
const base: BaseEntry = [7, first, valueHash(sha256, "Retries twice")];
const set: SetOp = {
  n: 2,
  op: "set",
  record,
  collection: "observation",
  lamport: 9,
  at: at + 1000,
  fields: { title: "Retries three times" },
  base: { title: base },
};
const forget: Op = { n: 3, op: "forget", record, collection: "observation", lamport: 10, at };

function chainVectors(): object {
  const start = chainStart(sha256, first);
  let chain = start;
  const ops = [put, set, forget].map((op) => {
    const line = opLine(op);
    chain = chainNext(sha256, chain, line);
    return { op, line, chain };
  });
  return { writer: first, start, ops };
}

function stateAfter(stored: RecordState | undefined, writer: WriterId, op: Op): RecordState {
  const outcome = applyOp(op, { sha256, writer, stored });
  if (!("state" in outcome)) throw new Error(outcome.kind);
  return outcome.state;
}

function described(state: RecordState): object {
  return {
    state: compactState(state),
    digest: recordDigest(sha256, state),
    bucket: bucketOf(state.id),
  };
}

const created = stateAfter(undefined, first, put);
const edited = stateAfter(created, first, set);
const forgotten = stateAfter(edited, first, forget);

function digestVectors(): object {
  const records = [created, edited, forgotten].map(described);
  const digests = [created, edited, forgotten].map((state) => recordDigest(sha256, state));
  return { records, xor: { of: digests, is: sumDigests(digests) } };
}

/** Ops of another writer on what the first one made: aware, unaware and late. */
function applyVectors(): readonly object[] {
  const rival: SetOp = { ...set, n: 1, fields: { title: "Never retries" } };
  const cases: readonly (readonly [string, RecordState | undefined, Op])[] = [
    ["a put creates", undefined, put],
    ["a set that names what stands replaces it", created, { ...set, n: 1 }],
    ["a set unaware of what stands wins by its clock, and the loser is kept", edited, rival],
    ["a set unaware of what stands loses by its clock, and is kept", edited, { ...rival, lamport: 8 }],
    ["the same value is no conflict", edited, { ...rival, fields: set.fields }],
    ["a put on a record is a set without a base", edited, { ...put, lamport: 11, fields: { title: "New" } }],
    ["a set of what is unknown waits for the record", undefined, rival],
    ["a set of what was forgotten does nothing", forgotten, rival],
    ["a forget erases", edited, { ...forget, n: 1 }],
    ["another collection is refused", edited, { ...rival, collection: "note" }],
  ]; // prettier-ignore
  return cases.map(([rule, stored, op]) => {
    const outcome = applyOp(op, { sha256, writer: second, stored });
    return {
      rule,
      stored: stored === undefined ? null : compactState(stored),
      writer: second,
      op,
      result: "code" in outcome ? outcome.code : outcome.kind,
      ...("state" in outcome ? { state: compactState(outcome.state) } : {}),
      ...("conflicts" in outcome && outcome.conflicts.length > 0
        ? { conflicts: outcome.conflicts.map(compactState) }
        : {}),
    };
  });
}

function mergeVectors(): readonly object[] {
  const other = stateAfter(created, second, { ...set, n: 1, fields: { title: "B", body: "c" } });
  const clash = stateAfter(undefined, first, { ...put, fields: { title: "Z" } });
  const pairs: readonly (readonly [string, RecordState, RecordState])[] = [
    ["per field the higher clock", edited, other],
    ["equal clocks fall to the greater text", created, clash],
    ["a tombstone beats every clock", forgotten, other],
  ];
  return pairs.map(([rule, left, right]) => ({
    rule,
    left: compactState(left),
    right: compactState(right),
    merged: compactState(mergeRecords(left, right)),
  }));
}

function healVectors(): readonly object[] {
  const rival = stateAfter(created, second, { ...set, n: 1, fields: { title: "B" } });
  const cases: readonly (readonly [string, Readonly<Record<string, readonly BaseEntry[]>>])[] = [
    ["the winning side never held the losing value: it is kept", {}],
    ["the winning side once held it: its author had seen it", { title: [[9, first, valueHash(sha256, "Retries three times")]] }],
  ]; // prettier-ignore
  return cases.map(([rule, incomingPast]) => {
    const outcome = healRecords(sha256, {
      stored: edited,
      storedPast: {},
      incoming: rival,
      incomingPast,
    });
    return {
      rule,
      stored: compactState(edited),
      incoming: { ...compactState(rival), past: incomingPast },
      state: compactState(outcome.state),
      conflicts: outcome.conflicts.map(compactState),
    };
  });
}

test("[WR40] the test vectors of the protocol's description are what this code does", async () => {
  const vectors = {
    canonical: canonicalVectors(),
    ids: idVectors(),
    chain: chainVectors(),
    digests: digestVectors(),
    apply: applyVectors(),
    merge: mergeVectors(),
    heal: healVectors(),
  };
  const text = `${JSON.stringify(vectors, null, 2)}\n`;
  await expect(text).toMatchFileSnapshot(fileURLToPath(new URL("vectors.json", folder)));
});

test("[WR40] a second reading of the description, which shares no code, agrees with every vector", () => {
  const checker = fileURLToPath(new URL("check-vectors.mjs", folder));
  const { status, stdout, stderr } = spawnSync(process.execPath, [checker], { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(stdout).toMatch(/^\d+ vectors hold$/m);
  expect(status).toBe(0);
});
