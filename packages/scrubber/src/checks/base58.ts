import { sha256 } from "./sha256.ts";

const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const charsMax = 128;
const checksumBytes = 4;

/** Whether a text ends in the checksum of base58check: four bytes of a double SHA-256. */
export function hasBase58Check(text: string, start: number, end: number): boolean {
  const bytes = end - start > charsMax ? undefined : decodeBase58(text.slice(start, end));
  if (bytes === undefined || bytes.length <= checksumBytes) return false;
  const sum = sha256(sha256(bytes.subarray(0, -checksumBytes)));
  return bytes.subarray(-checksumBytes).every((byte, index) => byte === sum[index]);
}

/** Writes bytes in base58 with their checksum. */
export function toBase58Check(bytes: readonly number[]): string {
  const sum = sha256(sha256(Uint8Array.from(bytes))).subarray(0, checksumBytes);
  const digits = convert([...bytes, ...sum], 256, 58);
  return digits.map((digit) => alphabet[digit]).join("");
}

function decodeBase58(text: string): Uint8Array | undefined {
  const digits = Array.from(text, (char) => alphabet.indexOf(char));
  return digits.includes(-1) ? undefined : Uint8Array.from(convert(digits, 58, 256));
}

/** Writes a number in another base, first digit first. Zeros at the head stand for themselves. */
function convert(digits: readonly number[], from: number, to: number): readonly number[] {
  const head = digits.findIndex((digit) => digit !== 0);
  const zeros = head < 0 ? digits.length : head;
  const out: number[] = [];
  for (const digit of digits.slice(zeros)) {
    let carry = digit;
    for (let index = 0; index < out.length || carry > 0; index++) {
      carry += (out[index] ?? 0) * from;
      out[index] = carry % to;
      carry = Math.floor(carry / to);
    }
  }
  return [...Array.from({ length: zeros }, () => 0), ...out.toReversed()];
}
