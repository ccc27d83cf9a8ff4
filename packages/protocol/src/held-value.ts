import type { Sha256 } from "./hash.ts";
import { canonicalJson } from "./json.ts";
import type { Register } from "./record.ts";
import { valueHash } from "./value-hash.ts";

/**
 * What is made of a register's value is made once: a held value may be a megabyte, and a thousand
 * small writes may meet it in one push.
 */
const texts = new WeakMap<Register, string>();
const hashes = new WeakMap<Register, string>();

/** The canonical text of a register's value (CN2). */
export function heldText(register: Register): string {
  const known = texts.get(register);
  if (known !== undefined) return known;
  const text = canonicalJson(register.value);
  texts.set(register, text);
  return text;
}

/** The hash that names a register's value, see {@link valueHash}. */
export function heldHash(sha256: Sha256, register: Register): string {
  const known = hashes.get(register);
  if (known !== undefined) return known;
  const hash = valueHash(sha256, register.value);
  hashes.set(register, hash);
  return hash;
}

/** Whether two registers hold the same value. */
export function holdSame(left: Register, right: Register): boolean {
  if (left.value === right.value) return true;
  if (typeof left.value !== "object" || typeof right.value !== "object") return false;
  return heldText(left) === heldText(right);
}
