import { createHash, createHmac, hash, timingSafeEqual as equalBytes } from "node:crypto";

/** SHA-256 of bytes, or of text as UTF-8; 32 bytes. */
export function sha256(input: Uint8Array | string): Uint8Array {
  return hash("sha256", input, "buffer");
}

sha256.hex = sha256Hex;

/** HMAC-SHA-256 under a key; 32 bytes. */
export function hmacSha256(key: Uint8Array, input: Uint8Array): Uint8Array {
  return createHmac("sha256", key).update(input).digest();
}

/** SHA-256 as 64 lower-case hexadecimal digits. */
export function sha256Hex(input: Uint8Array | string): string {
  return hash("sha256", input, "hex");
}

/**
 * Compares two secrets in a time that tells nothing of where they differ.
 *
 * Both sides are hashed first, so that their lengths need not match and do not show either.
 */
export function timingSafeEqual(left: Uint8Array | string, right: Uint8Array | string): boolean {
  return equalBytes(sha256(left), sha256(right));
}

/** SHA-256 of what comes piece by piece. */
export function createRunningHash(): { update(bytes: Uint8Array): void; hex(): string } {
  const running = createHash("sha256");
  return {
    update: (bytes) => {
      running.update(bytes);
    },
    hex: () => running.copy().digest("hex"),
  };
}
