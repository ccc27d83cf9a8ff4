import { base32 } from "./ids.ts";
import type { Sha256 } from "./hash.ts";
import { canonicalJson, type JsonValue } from "./json.ts";

/**
 * Names a value without carrying it: 80 bits of SHA-256 over its canonical text. Bases, past
 * clocks and conflict ids name clock and value hash, because a double restore can make two
 * values of one clock.
 */
export function valueHash(sha256: Sha256, value: JsonValue): string {
  return base32(sha256(canonicalJson(value)).subarray(0, 10));
}
