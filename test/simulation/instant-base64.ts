/**
 * Base64 by the host's own code, as the language has it from Node 25 on. What signs tokens asks for
 * that, and writes letter by letter where there is none. It is for the whole process, so nothing but a
 * simulation may install it.
 */
export function installInstantBase64(): void {
  const bytes = Uint8Array.prototype as { toBase64?: typeof toBase64 };
  bytes.toBase64 ??= toBase64;
}

/** As tokens are written: base64url goes without its padding here, whatever is said of it. */
function toBase64(
  this: Uint8Array,
  { alphabet = "base64" }: { readonly alphabet?: "base64" | "base64url" } = {},
): string {
  return Buffer.from(this.buffer, this.byteOffset, this.byteLength).toString(alphabet);
}
