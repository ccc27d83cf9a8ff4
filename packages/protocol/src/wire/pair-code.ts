/** Letters of the half that a server knows: no vowels, so no words; no digits, so no look-alikes. */
const codeLetters = "BCDFGHJKLMNPQRSTVWXZ";
const codeLength = 8;
/** Letters of the half that no server sees: 32 of them, 5 bits each (Crockford's base32). */
const halfLetters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const halfLength = 6;

/** What a new device shows, taken apart (PR1). */
export interface PairCode {
  /** What the server finds the request by. */
  readonly code: string;
  /** What only the two devices know; undefined where somebody typed the first half alone. */
  readonly half: string | undefined;
}

/**
 * Draws the server's half, every letter equally likely.
 *
 * @param bytes gives so many random bytes
 */
export function drawPairCode(bytes: (count: number) => Uint8Array): string {
  let code = "";
  // Bytes above the last whole round of letters would favour the first ones.
  const byteMax = 256 - (256 % codeLetters.length);
  while (code.length < codeLength) {
    for (const byte of bytes(codeLength)) {
      const isTaken = byte < byteMax && code.length < codeLength;
      if (isTaken) code += codeLetters.charAt(byte % codeLetters.length);
    }
  }
  return code;
}

/** Draws the devices' half: 30 random bits. */
export function drawPairHalf(bytes: (count: number) => Uint8Array): string {
  return Array.from(bytes(halfLength), (byte) => halfLetters.charAt(byte % 32)).join("");
}

/** The code as it is shown: `WDJB-MJHT-7KQ2XN`. */
export function pairCodeText(code: string, half: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}-${half}`;
}

/**
 * Reads a code as people type it: small letters, blanks and hyphens wherever (PR2). Undefined for
 * what cannot be one. In the devices' half O, I and L are read as the digits that they look like.
 */
export function parsePairCode(text: string): PairCode | undefined {
  if (!/^[0-9A-Za-z -]{1,64}$/.test(text)) return undefined;
  const letters = text.replaceAll(/[ -]/g, "").toUpperCase();
  const code = letters.slice(0, codeLength);
  const half = letters.slice(codeLength).replaceAll("O", "0").replaceAll(/[IL]/g, "1");
  if (!isOf(codeLetters, code, codeLength)) return undefined;
  if (half === "") return { code, half: undefined };
  return isOf(halfLetters, half, halfLength) ? { code, half } : undefined;
}

function isOf(letters: string, text: string, length: number): boolean {
  return text.length === length && Array.from(text).every((letter) => letters.includes(letter));
}
