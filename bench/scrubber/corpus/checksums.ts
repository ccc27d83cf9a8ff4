import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { alphabets } from "./template.ts";

/** The CRC32 of a token's body in six digits of base 62, as GitHub and npm append it. */
export function crcBase62(body: string): string {
  let rest = crc32(body);
  let out = "";
  while (out.length < 6) {
    out = (alphabets.an[rest % 62] ?? "") + out;
    rest = Math.floor(rest / 62);
  }
  return out;
}

/** The CRC32 of a text in eight hexadecimal digits. */
export function crcHex(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}

/** The last digit that makes a number pass Luhn's test. */
export function luhnDigit(digits: string): string {
  const sum = Array.from(digits)
    .toReversed()
    .map(Number)
    .map((digit, index) => (index % 2 === 0 ? (digit * 2 > 9 ? digit * 2 - 9 : digit * 2) : digit))
    .reduce((total, digit) => total + digit, 0);
  return String((10 - (sum % 10)) % 10);
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}

/** Base 58 with the first four bytes of a double SHA-256 at its end. */
export function base58check(payload: Uint8Array): string {
  const bytes = Buffer.concat([payload, sha256(sha256(payload)).subarray(0, 4)]);
  let rest = BigInt(`0x${bytes.toString("hex")}`);
  let out = "";
  while (rest > 0n) {
    out = (alphabets.b58[Number(rest % 58n)] ?? "") + out;
    rest /= 58n;
  }
  for (const byte of bytes) {
    if (byte !== 0) break;
    out = `1${out}`;
  }
  return out;
}

const bech32Alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const bech32Generator = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

function bech32Polymod(values: readonly number[]): number {
  let check = 1;
  for (const value of values) {
    const top = check >>> 25;
    check = ((check & 0x1ff_ffff) << 5) ^ value;
    bech32Generator.forEach((generator, bit) => {
      if ((top >>> bit) & 1) check ^= generator;
    });
  }
  return check >>> 0;
}

/** Bech32 with its six check characters. */
export function bech32(prefix: string, payload: Uint8Array): string {
  const groups: number[] = [];
  let buffer = 0;
  let bits = 0;
  for (const byte of payload) {
    buffer = ((buffer << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      groups.push((buffer >> bits) & 31);
    }
  }
  if (bits > 0) groups.push((buffer << (5 - bits)) & 31);
  const codes = Array.from(prefix).map((char) => char.charCodeAt(0));
  const head = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)];
  const check = bech32Polymod([...head, ...groups, 0, 0, 0, 0, 0, 0]) ^ 1;
  const tail = [0, 1, 2, 3, 4, 5].map((index) => (check >>> (5 * (5 - index))) & 31);
  return `${prefix}1${[...groups, ...tail].map((group) => bech32Alphabet[group]).join("")}`;
}

/** The CRC24 of OpenPGP in base64, as it ends an armoured block. */
export function pgpCrc(payload: Uint8Array): string {
  let crc = 0xb704ce;
  for (const byte of payload) {
    crc ^= byte << 16;
    for (let bit = 0; bit < 8; bit++) {
      crc <<= 1;
      if (crc & 0x100_0000) crc ^= 0x186_4cfb;
    }
  }
  return `=${Buffer.from([(crc >> 16) & 255, (crc >> 8) & 255, crc & 255]).toString("base64")}`;
}

// The first and last words of the BIP-39 list with their places: enough to make valid phrases.
const firstWords =
  "abandon ability able about above absent absorb abstract absurd abuse access accident account accuse achieve acid acoustic acquire across act action actor actress actual adapt add addict address adjust admit adult advance advice aerobic".split(
    " ",
  );
const lastWords =
  "winter wire wisdom wise wish witness wolf woman wonder wood wool word work world worry worth wrap wreck wrestle wrist write wrong yard year yellow you young youth zebra zero zone zoo".split(
    " ",
  );
const indexByWord = new Map([
  ...firstWords.map((word, index) => [word, index] as const),
  ...lastWords.map((word, index) => [word, 2048 - lastWords.length + index] as const),
]);

/** Words of which {@link isMnemonic} can tell whether they are a phrase. */
export const mnemonicWords: readonly string[] = [...indexByWord.keys()];

/** Whether twelve or 24 words end in their checksum. */
export function isMnemonic(words: readonly string[]): boolean {
  const bits = words
    .map((word) => (indexByWord.get(word) ?? 0).toString(2).padStart(11, "0"))
    .join("");
  const checkBits = words.length / 3;
  const entropy = bits.slice(0, -checkBits);
  const bytes = Uint8Array.from(
    (entropy.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)),
  );
  const hash = sha256(bytes)[0] ?? 0;
  return hash.toString(2).padStart(8, "0").slice(0, checkBits) === bits.slice(-checkBits);
}
