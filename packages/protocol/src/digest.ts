import { sha256Hex, type Sha256 } from "./hash.ts";
import type { RecordId } from "./ids.ts";
import { canonicalJson } from "./json.ts";
import {
  isTombstone,
  sortedFields,
  type LiveRecord,
  type RecordState,
  type Register,
} from "./record.ts";

/** 64 bits as 16 lower-case hex characters. */
export type Digest = string;

/** The digest of nothing. */
export const emptyDigest: Digest = "0000000000000000";

/** Number of buckets that a heal compares before it compares ids. */
export const bucketCount = 256;

/**
 * A record's digest (DG1): the first 8 bytes of SHA-256 over id, collection, parent and the sorted
 * registers with expanded clocks, so compact forms never matter; of a tombstone over its id alone.
 */
export function recordDigest(sha256: Sha256, state: RecordState): Digest {
  return digestOfText(sha256, digestText(state));
}

/** The digest of a live record whose text stands ready. */
export function digestOfText(sha256: Sha256, text: string): Digest {
  return sha256Hex(sha256, text).slice(0, 16);
}

/**
 * Adds a record's digest to a namespace's, or takes it out again: XOR is its own inverse (DG2).
 * The count stands beside it, because equal digests cancel in pairs.
 */
export function xorDigests(left: Digest, right: Digest): Digest {
  return sumDigests([left, right]);
}

/** The XOR of many digests (DG2), without a text for each step. */
export function sumDigests(digests: readonly Digest[]): Digest {
  let high = 0;
  let low = 0;
  for (const digest of digests) {
    high ^= parseInt(digest.slice(0, 8), 16);
    low ^= parseInt(digest.slice(8), 16);
  }
  return hexOf(high) + hexOf(low);
}

function hexOf(half: number): string {
  return (half >>> 0).toString(16).padStart(8, "0");
}

/** The bucket of a record (DG3): FNV-1a over its id, folded to 8 bits. It follows from the id alone. */
export function bucketOf(id: RecordId): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index += 1) {
    hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  }
  return ((hash >>> 24) ^ (hash >>> 16) ^ (hash >>> 8) ^ hash) & 0xff;
}

/** Digest and count of a set of records: equal on converged replicas, whatever the order. */
export interface SetDigest {
  readonly digest: Digest;
  readonly count: number;
}

/** Whether two replicas hold the same records. */
export function isSameSet(left: SetDigest, right: SetDigest): boolean {
  return left.count === right.count && left.digest === right.digest;
}

/** What a change of one record does to a set: its old digest goes out, its new one comes in. */
export function replaceInSet(
  set: SetDigest,
  before: Digest | undefined,
  after: Digest | undefined,
): SetDigest {
  const without = before === undefined ? set.digest : xorDigests(set.digest, before);
  return {
    digest: after === undefined ? without : xorDigests(without, after),
    count: set.count - (before === undefined ? 0 : 1) + (after === undefined ? 0 : 1),
  };
}

function digestText(state: RecordState): string {
  if (isTombstone(state)) return `tombstone\n${state.id}`;
  let text = digestHead(state);
  for (const field of sortedFields(state.registers)) {
    const register = state.registers[field];
    if (register === undefined) continue;
    text += digestLine(canonicalJson(field), register, canonicalJson(register.value));
  }
  return text;
}

/** How the text of a live record's digest begins. */
export function digestHead({ id, collection, parent }: LiveRecord): string {
  return `record\n${id}\n${collection}\n${parent ?? ""}`;
}

/** What a register adds to it, with field and value as canonical text. */
export function digestLine(field: string, register: Register, value: string): string {
  return `\n${field}${digestStamp(register)}${value}`;
}

/** What stands in it between field and value. */
export function digestStamp({ clock, at }: Pick<Register, "clock" | "at">): string {
  return ` ${clock.lamport} ${clock.writer} ${at} `;
}
