import type { Digest } from "@tidemark/protocol";

/** A digest as the signed 64-bit number of its column, in decimal: bigger than a double holds. */
export function digestNumber(digest: Digest): string {
  return BigInt.asIntN(64, BigInt(`0x${digest}`)).toString();
}
