const lowDigit = 1;
const base32Digit = 2;
const lowerHex = 4;
const lowerRest = 8;
const upperHex = 16;
const upperRest = 32;
const underscore = 64;
const dash = 128;
const plus = 256;
const slash = 512;
const equals = 1024;
const dot = 2048;
const tilde = 4096;
const percent = 8192;
const colon = 16_384;

const digit = lowDigit | base32Digit;
const lower = lowerHex | lowerRest;
const upper = upperHex | upperRest;
const alnum = digit | lower | upper;

/** Name of a character class. */
export type CharClass =
  | "digit"
  | "lower"
  | "upper"
  | "alnum"
  | "hex"
  | "upperHex"
  | "anyHex"
  | "base32"
  | "lowerAlnum"
  | "upperAlnum"
  | "letter"
  | "ident"
  | "word"
  | "dotted"
  | "base64"
  | "base64Padded"
  | "base64Any"
  | "escapedBase64"
  | "azure"
  | "token68"
  | "name"
  | "cookie";

/** Character classes a rule may name, each a set of bits of {@link bitsAt}. */
export const charClasses: Readonly<Record<CharClass, number>> = {
  digit,
  lower,
  upper,
  alnum,
  hex: digit | lowerHex,
  upperHex: digit | upperHex,
  anyHex: digit | lowerHex | upperHex,
  base32: upper | base32Digit,
  lowerAlnum: digit | lower,
  upperAlnum: digit | upper,
  letter: lower | upper,
  ident: alnum | underscore,
  word: alnum | underscore | dash,
  dotted: alnum | underscore | dash | dot,
  base64: alnum | plus | slash,
  base64Padded: alnum | plus | slash | equals,
  base64Any: alnum | plus | slash | equals | underscore | dash,
  escapedBase64: alnum | plus | slash | equals | percent | underscore | dash,
  azure: alnum | underscore | dash | dot | tilde,
  token68: alnum | plus | slash | equals | underscore | dash | dot | tilde,
  name: alnum | underscore | dash | dot,
  cookie: alnum | plus | slash | equals | underscore | dash | dot | tilde | percent | colon,
};

const punctuation: Readonly<Record<string, number>> = {
  _: underscore,
  "-": dash,
  "+": plus,
  "/": slash,
  "=": equals,
  ".": dot,
  "~": tilde,
  "%": percent,
  ":": colon,
};

const bitsByCode: Uint16Array = buildBits();

/** Gives the class bits of the code unit at `index`, 0 outside the text and outside ASCII. */
export function bitsAt(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code < 128 ? (bitsByCode[code] as number) : 0;
}

/** Whether the code unit at `index` is of a class given as a mask. */
export function isAt(text: string, index: number, mask: number): boolean {
  return (bitsAt(text, index) & mask) !== 0;
}

function buildBits(): Uint16Array {
  const bits = new Uint16Array(128);
  for (let code = 48; code <= 57; code++) {
    bits[code] = code >= 50 && code <= 55 ? base32Digit : lowDigit;
  }
  for (let index = 0; index < 26; index++) {
    bits[97 + index] = index < 6 ? lowerHex : lowerRest;
    bits[65 + index] = index < 6 ? upperHex : upperRest;
  }
  for (const [char, bit] of Object.entries(punctuation)) bits[char.charCodeAt(0)] = bit;
  return bits;
}
