// A second implementation of what a client of the protocol computes, written from
// docs/protocol.md alone, held against the test vectors. Begin with it, or hold yours against it:
//
//   node docs/protocol/check-vectors.mjs
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import process from "node:process";
import { isDeepStrictEqual } from "node:util";

const sha256 = (text) => createHash("sha256").update(text, "utf8").digest();
const hex = (text) => sha256(text).toString("hex");

// Values

function storable(value, depth = 0) {
  if (depth > 8) throw new Error("too-deep");
  if (typeof value === "string")
    return value.replaceAll("\0", "\u{fffd}").replaceAll(/[\ud800-\udfff]/gu, "\u{fffd}");
  if (typeof value === "number") {
    const isSafe = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value)); // prettier-ignore
    if (!isSafe) throw new Error("bad-number");
    return value === 0 ? 0 : value;
  }
  if (Array.isArray(value)) return value.map((item) => storable(item, depth + 1));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      if (["__proto__", "constructor", "prototype"].includes(key)) throw new Error("bad-key");
      return [storable(key), storable(member, depth + 1)];
    }),
  );
}

function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  // JavaScript sorts texts by UTF-16 code units.
  const keys = Object.keys(value).toSorted();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}

function base32(bytes) {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const groups = bits.match(/.{1,5}/g).map((group) => Number.parseInt(group.padEnd(5, "0"), 2));
  return groups.map((group) => "0123456789abcdefghijklmnopqrstuv"[group]).join("");
}

const valueHash = (value) => base32(sha256(canonical(value)).subarray(0, 10));
const derivedId = (purpose, parts) =>
  base32(sha256(JSON.stringify([purpose, ...parts])).subarray(0, 16));

// States: `{id, collection, parent?, registers: {field: {value, lamport, writer, at}}}` or a tombstone

function expand(compact) {
  if (compact.forgotten) return { id: compact.id, collection: compact.collection, forgotten: true };
  const { id, collection, parent, lamport, writer, at, fields, clocks = {} } = compact;
  const registers = {};
  for (const [field, value] of Object.entries(fields)) {
    const [ownLamport, ownWriter, ownAt] = clocks[field] ?? [lamport, writer, at];
    registers[field] = { value, lamport: ownLamport, writer: ownWriter, at: ownAt };
  }
  return { id, collection, ...(parent === undefined ? {} : { parent }), registers };
}

const order = (left, right) => (left === right ? 0 : left < right ? -1 : 1);
const byClock = (left, right) => left.lamport - right.lamport || order(left.writer, right.writer);
const byRegister = (left, right) =>
  byClock(left, right) || order(canonical(left.value), canonical(right.value)) || left.at - right.at; // prettier-ignore
const same = (left, right) => canonical(left) === canonical(right);

function digest(state) {
  if (state.forgotten) return hex(`tombstone\n${state.id}`).slice(0, 16);
  let text = `record\n${state.id}\n${state.collection}\n${state.parent ?? ""}`;
  for (const field of Object.keys(state.registers).toSorted()) {
    const { value, lamport, writer, at } = state.registers[field];
    text += `\n${canonical(field)} ${lamport} ${writer} ${at} ${canonical(value)}`;
  }
  return hex(text).slice(0, 16);
}

function bucket(id) {
  let hash = 0x811c9dc5;
  for (const char of id) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193) >>> 0;
  return ((hash >>> 24) ^ (hash >>> 16) ^ (hash >>> 8) ^ hash) & 255;
}

function merge(left, right) {
  if (left.forgotten) return left;
  if (right.forgotten) return right;
  const registers = { ...left.registers };
  for (const [field, register] of Object.entries(right.registers)) {
    const held = registers[field];
    if (held === undefined || byRegister(register, held) > 0) registers[field] = register;
  }
  return { ...left, registers };
}

function conflict(record, field, loser) {
  const { value, lamport, writer, at } = loser;
  const id = derivedId("conflict", [record, field, String(lamport), writer, valueHash(value)]);
  const fields = { field, value, lamport, writer, lostAt: at };
  const registers = Object.fromEntries(
    Object.entries(fields).map(([name, each]) => [name, { value: each, lamport, writer, at }]),
  );
  return { id, collection: "conflict", parent: record, registers };
}

const names = (entry, { value, lamport, writer }) =>
  Array.isArray(entry) && isDeepStrictEqual(entry, [lamport, writer, valueHash(value)]);

function apply(stored, writer, op) {
  if (stored !== undefined && stored.collection !== op.collection)
    return { result: "collection-mismatch" };
  const gone = { id: op.record, collection: op.collection, forgotten: true };
  if (stored?.forgotten) return { result: "forgotten", state: stored };
  if (op.op === "forget") return { result: "erased", state: gone };
  if (op.op === "set" && stored === undefined) return { result: "unknown-record" };
  return write(stored ?? emptyRecord(op), writer, op);
}

function emptyRecord({ record: id, collection, parent }) {
  return { id, collection, ...(parent === undefined ? {} : { parent }), registers: {} };
}

function write(state, writer, { record, lamport, at, fields, base }) {
  const registers = { ...state.registers };
  const conflicts = [];
  for (const [field, value] of Object.entries(fields)) {
    const register = { value, lamport, writer, at };
    const held = registers[field];
    const wins = held === undefined || byRegister(register, held) > 0;
    const isAware = held === undefined || same(held.value, value) || names(base?.[field], held);
    if (!isAware) conflicts.push(conflict(record, field, wins ? held : register));
    if (wins) registers[field] = register;
  }
  const result = conflicts.length > 0 ? "conflict" : "applied";
  return { result, state: { ...state, registers }, conflicts };
}

function heal(stored, incoming, past) {
  const conflicts = [];
  for (const [field, register] of Object.entries(incoming.registers)) {
    const held = stored.registers[field];
    if (held === undefined || same(held.value, register.value)) continue;
    const wins = byRegister(register, held) > 0;
    const seen = wins ? (past[field] ?? []).some((entry) => names(entry, held)) : false;
    if (!seen) conflicts.push(conflict(stored.id, field, wins ? held : register));
  }
  return { state: merge(stored, incoming), conflicts };
}

// The vectors

const vectors = JSON.parse(readFileSync(new URL("vectors.json", import.meta.url), "utf8"));
let count = 0;

function hold(what, found, expected) {
  count += 1;
  if (isDeepStrictEqual(found, expected)) return;
  process.exitCode = 1;
  process.stderr.write(
    `${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}\n`,
  );
}

for (const { json, text, hash, refused } of vectors.canonical) {
  try {
    const value = storable(JSON.parse(json));
    hold(json, [canonical(value), valueHash(value)], [text, hash]);
  } catch (error) {
    hold(json, error.message, refused);
  }
}
const { base32: bytes, derived } = vectors.ids;
hold("base32", base32(Buffer.from(bytes.bytes, "hex")), bytes.text);
hold("derived id", derivedId(derived.purpose, derived.parts), derived.id);

let chain = hex(`tidemark chain\n${vectors.chain.writer}`);
hold("chain start", chain, vectors.chain.start);
for (const { op, line, chain: expected } of vectors.chain.ops) {
  hold("op line", canonical(op), line);
  chain = hex(`${chain}\n${line}`);
  hold("chain", chain, expected);
}
for (const { state, digest: expected, bucket: place } of vectors.digests.records)
  hold("digest and bucket", [digest(expand(state)), bucket(state.id)], [expected, place]);
const { of, is } = vectors.digests.xor;
const sum = of.reduce((total, each) => total ^ BigInt(`0x${each}`), 0n);
hold("digest of a namespace", sum.toString(16).padStart(16, "0"), is);

const expandAll = (states = []) => states.map(expand);
for (const { rule, stored, writer, op, result, state, conflicts } of vectors.apply) {
  const done = apply(stored === null ? undefined : expand(stored), writer, op);
  hold(rule, done.result, result);
  hold(rule, done.state, state === undefined ? undefined : expand(state));
  hold(rule, done.conflicts ?? [], expandAll(conflicts));
}
for (const { rule, left, right, merged } of vectors.merge) {
  hold(rule, merge(expand(left), expand(right)), expand(merged));
  hold(rule, merge(expand(right), expand(left)), expand(merged));
}
for (const { rule, stored, incoming, state, conflicts } of vectors.heal) {
  const done = heal(expand(stored), expand(incoming), incoming.past);
  hold(rule, done, { state: expand(state), conflicts: expandAll(conflicts) });
}
process.stdout.write(`${count} vectors hold\n`);
