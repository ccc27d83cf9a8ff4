/** SHA-256 over the UTF-8 bytes of a text: 32 bytes. Passed in, because this package does no I/O. */
export type Sha256 = (text: string) => Uint8Array;

/** Bytes as lower-case hex. */
export function hex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += hexByByte[byte] ?? "";
  return text;
}

const hexByByte: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, "0"),
);
