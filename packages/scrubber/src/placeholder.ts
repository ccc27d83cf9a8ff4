/** First characters of every placeholder. */
export const placeholderStart = "__SECRET_";

const placeholderEnd = "__";
const tagChars = 12;
const insideCharsMax = 64;
const alphabet = "abcdefghijklmnopqrstuvwxyz234567";

/** Matches one placeholder whole: `__SECRET_<kind>_<tag>__`. */
export const placeholderPattern: RegExp = /^__SECRET_[a-z0-9]+(?:_[a-z0-9]+)*_[a-z2-7]{12}__$/;

/** Whether a text is exactly one placeholder. */
export function isPlaceholder(text: string): boolean {
  return text.length <= 128 && placeholderPattern.test(text);
}

/** Writes the placeholder for a label and a tag: one token that JSON, shell and URLs carry. */
export function writePlaceholder(label: string, tag: string): string {
  return `${placeholderStart}${label}_${tag}${placeholderEnd}`;
}

/**
 * Gives the end of the placeholder that begins at `start`, or -1 if none does.
 * The first double underscore after the start ends it, so neighbours are told apart.
 */
export function placeholderEndAt(text: string, start: number): number {
  const inside = start + placeholderStart.length;
  const window = text.slice(inside, inside + insideCharsMax);
  const length = window.indexOf(placeholderEnd);
  if (length < 0) return -1;
  const end = inside + length + placeholderEnd.length;
  return isPlaceholder(text.slice(start, end)) ? end : -1;
}

/** Gives the tag of a secret from its HMAC: 60 bits in lower-case base32. */
export function bytesToTag(mac: Uint8Array): string {
  if (mac.length < 8) throw new RangeError("an HMAC has at least 8 bytes");
  let tag = "";
  let buffer = 0;
  let bits = 0;
  for (let index = 0; tag.length < tagChars; index++) {
    buffer = ((buffer << 8) | (mac[index] as number)) & 0xfff;
    bits += 8;
    while (bits >= 5 && tag.length < tagChars) {
      bits -= 5;
      tag += alphabet[(buffer >> bits) & 31];
    }
  }
  return tag;
}
