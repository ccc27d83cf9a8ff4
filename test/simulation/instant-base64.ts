/**
 * Base64 as the language writes it from Node 25 on. What signs tokens asks for that, and writes letter
 * by letter where there is none. It is for the whole process, so nothing but a simulation installs it.
 */
export function installInstantBase64(): void {
  const bytes = Uint8Array.prototype as { toBase64?: typeof toBase64 };
  bytes.toBase64 ??= toBase64;
}

interface Options {
  readonly alphabet?: "base64" | "base64url";
  readonly omitPadding?: boolean;
}

function toBase64(
  this: Uint8Array,
  { alphabet = "base64", omitPadding = false }: Options = {},
): string {
  const text = Buffer.from(this.buffer, this.byteOffset, this.byteLength).toString(alphabet);
  // The host leaves the padding out of one of them, the language of neither unless it is told.
  const isPadded = alphabet === "base64url" && !omitPadding;
  return isPadded ? text.padEnd(Math.ceil(text.length / 4) * 4, "=") : text;
}
