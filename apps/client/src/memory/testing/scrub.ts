import { createHmac } from "node:crypto";
import { createScrub, type Scrub } from "../scrub.ts";

/** HMAC-SHA-256, as `platform/` has it. */
export function testHmac(key: Uint8Array, text: string): Uint8Array {
  return createHmac("sha256", key).update(text).digest();
}

/** A scrub under a fixed key. */
export function testScrub(): Scrub {
  return createScrub(new Uint8Array(32).fill(7), testHmac);
}
