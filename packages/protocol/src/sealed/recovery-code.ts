import { sha256Hex, type Sha256 } from "../hash.ts";

/** Crockford's base32: no I, L, O and U, so that nothing is misread. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const secretChars = 32;
const checkChars = 4;
const groupChars = 4;

/** Random bytes that a recovery code is made of: 160 bits. */
export const recoveryBytes = 20;

/**
 * Writes a recovery code (EE8): 160 bits as 32 characters in eight groups, and a ninth that tells a
 * slip of the pen from a wrong code, before anything is sent.
 */
export function recoveryCode(sha256: Sha256, bytes: Uint8Array): string {
  const secret = encode(bytes);
  return grouped(secret + checkOf(sha256, secret));
}

/**
 * Reads a recovery code however it is typed: in any case, with any spaces and dashes, O for 0 and I
 * or L for 1. Undefined where its check says that it was written wrong.
 */
export function parseRecoveryCode(sha256: Sha256, typed: string): Uint8Array | undefined {
  const plain = typed
    .toUpperCase()
    .replaceAll(/[\s-]/g, "")
    .replaceAll("O", "0")
    .replaceAll(/[IL]/g, "1");
  if (plain.length !== secretChars + checkChars) return undefined;
  const secret = plain.slice(0, secretChars);
  if (plain.slice(secretChars) !== checkOf(sha256, secret)) return undefined;
  return decode(secret);
}

function checkOf(sha256: Sha256, secret: string): string {
  const hash = sha256Hex(sha256, `tidemark recovery check 1\n${secret}`);
  const number = parseInt(hash.slice(0, 5), 16);
  return [15, 10, 5, 0].map((shift) => alphabet.charAt((number >>> shift) & 31)).join("");
}

function grouped(text: string): string {
  const groups: string[] = [];
  for (let at = 0; at < text.length; at += groupChars) groups.push(text.slice(at, at + groupChars));
  return groups.join("-");
}

function encode(bytes: Uint8Array): string {
  let text = "";
  for (let bit = 0; bit < secretChars * 5; bit += 5) {
    const at = bit >> 3;
    const pair = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
    text += alphabet.charAt((pair >> (11 - (bit & 7))) & 31);
  }
  return text;
}

function decode(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(recoveryBytes);
  for (let index = 0; index < text.length; index += 1) {
    const value = alphabet.indexOf(text.charAt(index));
    if (value === -1) return undefined;
    const bit = index * 5;
    const pair = value << (11 - (bit & 7));
    const at = bit >> 3;
    bytes[at] = (bytes[at] ?? 0) | (pair >> 8);
    if (at + 1 < recoveryBytes) bytes[at + 1] = (bytes[at + 1] ?? 0) | (pair & 0xff);
  }
  return bytes;
}
