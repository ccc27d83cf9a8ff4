const alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const generators = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3];
const checksumChars = 6;
const charsMax = 160;

/** Whether a text is bech32 with a checksum that holds, as age and Nostr write their keys. */
export function hasBech32Check(text: string, start: number, end: number): boolean {
  if (end - start > charsMax) return false;
  const folded = text.slice(start, end).toLowerCase();
  const parted = folded.lastIndexOf("1");
  const values = Array.from(folded.slice(parted + 1), (char) => alphabet.indexOf(char));
  if (parted < 1 || values.includes(-1)) return false;
  return polymod([...expand(folded.slice(0, parted)), ...values]) === 1;
}

/** The checksum for a prefix and the characters after its `1`. */
export function bech32Check(prefix: string, body: string): string {
  const values = Array.from(body, (char) => alphabet.indexOf(char));
  const zeros = Array.from({ length: checksumChars }, () => 0);
  const sum = polymod([...expand(prefix), ...values, ...zeros]) ^ 1;
  return zeros.map((_, index) => alphabet[(sum >>> (5 * (5 - index))) & 31]).join("");
}

function expand(prefix: string): readonly number[] {
  const codes = Array.from(prefix, (char) => char.charCodeAt(0));
  return [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)];
}

function polymod(values: readonly number[]): number {
  let sum = 1;
  for (const value of values) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ff_ffff) << 5) ^ value;
    generators.forEach((generator, bit) => {
      if ((top >>> bit) & 1) sum ^= generator;
    });
  }
  return sum >>> 0;
}
