/** SHA-256 over the UTF-8 bytes of a text: 32 bytes. Passed in, because this package does no I/O. */
export interface Sha256 {
  (text: string): Uint8Array;
  /** The same as {@link hex} writes it, where the platform has that cheaper. */
  readonly hex?: (text: string) => string;
}

/** SHA-256 of a text as lower-case hex. */
export function sha256Hex(sha256: Sha256, text: string): string {
  return sha256.hex?.(text) ?? hex(sha256(text));
}

/** Bytes as lower-case hex. */
export function hex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += hexByByte[byte] ?? "";
  return text;
}

const hexByByte: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, "0"),
);
