/** Longest id that is put into a key as it stands; longer ones are hashed. */
const idCharsMax = 128;

/**
 * A stable key of an event or draft from its parts, of bounded length.
 *
 * Absent parts leave no trace, so callers name the kind first.
 */
export function stableKey(...parts: readonly (string | undefined)[]): string {
  return parts
    .flatMap((part) => (part === undefined || part === "" ? [] : [keyPart(part)]))
    .join("/");
}

function keyPart(part: string): string {
  return part.length <= idCharsMax ? part.replaceAll("/", "_") : contentHash(part);
}

/**
 * 106 bits of a text's content, as hex. It tells texts apart; it hides nothing and proves nothing.
 *
 * Two rounds of a 53-bit multiplicative hash: a hook cannot wait for a cryptographic one,
 * and this folder knows no platform.
 */
export function contentHash(text: string): string {
  return `${hash53(text, 0x9e_37)}${hash53(text, 0x79_b9)}`;
}

function hash53(text: string, seed: number): string {
  let high = 0xdeadbeef ^ seed;
  let low = 0x41c6ce57 ^ seed;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  const value = 4294967296 * (2097151 & low) + (high >>> 0);
  return value.toString(16).padStart(14, "0");
}
