/**
 * SHA-256 and HMAC without `node:crypto`, for the hook program: loading that module takes longer
 * than hashing what a hook hashes. Everything else uses `hash.ts`; a test holds them equal.
 */

/** First 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4). */
const constants: Int32Array = firstPrimes(64, (prime) => Math.cbrt(prime));
/** The same of the square roots of the first 8. */
const start: Int32Array = firstPrimes(8, (prime) => Math.sqrt(prime));

const blockBytes = 64;
const digestBytes = 32;

/** SHA-256 over the UTF-8 bytes of a text; 32 bytes. */
export function leanSha256(text: string): Uint8Array {
  return digest(Buffer.from(text, "utf8"));
}

/** HMAC-SHA-256 under a key (RFC 2104); 32 bytes. */
export function leanHmacSha256(key: Uint8Array, text: string): Uint8Array {
  const short = key.length > blockBytes ? digest(key) : key;
  const inner = new Uint8Array(blockBytes).fill(0x36);
  const outer = new Uint8Array(blockBytes + digestBytes).fill(0x5c, 0, blockBytes);
  for (let index = 0; index < short.length; index += 1) {
    inner[index] = (inner[index] ?? 0) ^ (short[index] ?? 0);
    outer[index] = (outer[index] ?? 0) ^ (short[index] ?? 0);
  }
  outer.set(digest(Buffer.concat([inner, Buffer.from(text, "utf8")])), blockBytes);
  return digest(outer);
}

function digest(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array((((bytes.length + 8) >> 6) + 1) * blockBytes);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 0x2000_0000));
  view.setUint32(padded.length - 4, (bytes.length << 3) >>> 0);
  const state = Int32Array.from(start);
  const words = new Int32Array(64);
  for (let at = 0; at < padded.length; at += blockBytes) {
    for (let index = 0; index < 16; index += 1) words[index] = view.getInt32(at + index * 4);
    compress(state, words);
  }
  const out = new Uint8Array(digestBytes);
  const outView = new DataView(out.buffer);
  for (let index = 0; index < 8; index += 1) outView.setInt32(index * 4, state[index] ?? 0);
  return out;
}

function compress(state: Int32Array, words: Int32Array): void {
  for (let index = 16; index < 64; index += 1) {
    const early = words[index - 15] as number;
    const late = words[index - 2] as number;
    const small = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const large = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    words[index] = (words[index - 16] as number) + small + (words[index - 7] as number) + large;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let index = 0; index < 64; index += 1) {
    const high = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const choice = (e & f) ^ (~e & g);
    const first = (h + high + choice + (constants[index] as number) + (words[index] as number)) | 0;
    const low = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + low + majority) | 0;
  }
  const sums = [a, b, c, d, e, f, g, h];
  for (let index = 0; index < 8; index += 1) {
    state[index] = (state[index] as number) + (sums[index] as number);
  }
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

function firstPrimes(count: number, root: (prime: number) => number): Int32Array {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate += 1) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  return Int32Array.from(primes, (prime) => ((root(prime) % 1) * 2 ** 32) | 0);
}
