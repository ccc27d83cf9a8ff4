/** Characters that are decoded to see whether a run can be text at all. */
const firstChars = 24;

/**
 * Whether the first bytes of a run can be those of a text. Reads them without keeping any: nearly
 * every run is a hash, an id, a path or a picture, and is given up within three or four bytes.
 */
export function mayBeText(text: string, start: number): boolean {
  return mayBeBase64Text(text, start) || mayBeHexText(text, start);
}

/** What follows a byte that no text holds. */
const refused = -1;

function mayBeBase64Text(text: string, start: number): boolean {
  let state = 0;
  for (let at = start; at < start + firstChars; at += 4) {
    const three =
      (sextetOf(text.charCodeAt(at)) << 18) |
      (sextetOf(text.charCodeAt(at + 1)) << 12) |
      (sextetOf(text.charCodeAt(at + 2)) << 6) |
      sextetOf(text.charCodeAt(at + 3));
    const isFirst = at === start;
    if (isFirst && isWideStart(three >> 16, (three >> 8) & 0xff)) return true;
    state = afterByte(afterByte(afterByte(state, three >> 16), (three >> 8) & 0xff), three & 0xff);
    if (state === refused) return false;
  }
  return true;
}

function mayBeHexText(text: string, start: number): boolean {
  let state = 0;
  for (let at = start; at < start + firstChars; at += 2) {
    const byte = byteOf(text, at);
    if (at === start && isWideStart(byte, byteOf(text, at + 2))) return true;
    state = afterByte(state, byte);
    if (state === refused) return false;
  }
  return true;
}

/** How many more bytes the character needs after this one. */
function afterByte(needed: number, byte: number): number {
  if (needed === refused) return refused;
  if (needed > 0) return (byte & 0xc0) === 0x80 ? needed - 1 : refused;
  if (byte < 0x80) return isTextCode(byte) ? 0 : refused;
  if (byte < 0xc2 || byte > 0xf4) return refused;
  return byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
}

function isWideStart(first: number, second: number): boolean {
  return second === 0 ? isTextCode(first) && first < 0x80 : first === 0xff && second === 0xfe;
}

/** NUL, which parts the variables of a process, white space, and the escape of colours. */
const controls: ReadonlySet<number> = new Set([0, 9, 10, 13, 27]);

/** Printable, or one of the few others that texts hold. */
export function isTextCode(code: number): boolean {
  return code >= 0x20 ? code !== 0x7f : controls.has(code);
}

/** The six bits of a character of base64 or base64url. */
export function sextetOf(code: number): number {
  if (code >= 97) return code - 71;
  if (code === 95) return 63;
  if (code >= 65) return code - 65;
  if (code >= 48) return code + 4;
  return code === 47 ? 63 : 62;
}

/** The byte of two hexadecimal digits. */
export function byteOf(text: string, at: number): number {
  return 16 * nibbleOf(text.charCodeAt(at)) + nibbleOf(text.charCodeAt(at + 1));
}

function nibbleOf(code: number): number {
  return code < 58 ? code - 48 : (code | 32) - 87;
}
