/**
 * Decodes base64 or base64url into a string of one character per byte.
 * Padding and alien characters end it; what is decoded so far is given.
 */
export function decodeBase64(text: string): string {
  let out = "";
  let buffer = 0;
  let bits = 0;
  for (let index = 0; index < text.length; index++) {
    const value = sextet(text.charCodeAt(index));
    if (value < 0) break;
    buffer = ((buffer << 6) | value) & 0x3fff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out += String.fromCharCode((buffer >> bits) & 0xff);
    }
  }
  return out;
}

/** Whether every character is printable ASCII or common white space. */
export function isPrintable(text: string): boolean {
  return /^[\t\n\r\x20-\x7e]*$/.test(text);
}

function sextet(code: number): number {
  if (code >= 65 && code <= 90) return code - 65;
  if (code >= 97 && code <= 122) return code - 71;
  if (code >= 48 && code <= 57) return code + 4;
  if (code === 43 || code === 45) return 62;
  return code === 47 || code === 95 ? 63 : -1;
}
