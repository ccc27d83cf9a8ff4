/**
 * SHA-256 and HMAC without `node:crypto`, for the hook program: loading that module takes longer
 * than hashing what a hook hashes. Everything else uses `hash.ts`; a test holds them equal.
 */

/** First 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4). */
const constants: Int32Array = new Int32Array([
  0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
  0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
  0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
  0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
  0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
  0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
  0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
  0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
  0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
  0xc671_78f2,
]); // prettier-ignore
/** The same of the square roots of the first 8. */
const start: Int32Array = new Int32Array([
  0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
  0x5be0_cd19,
]); // prettier-ignore

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

/** Rotations are written out: a hook's hashes are over before calls are compiled away. */
function compress(state: Int32Array, words: Int32Array): void {
  for (let index = 16; index < 64; index += 1) {
    const early = words[index - 15] as number;
    const late = words[index - 2] as number;
    const small =
      ((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3);
    const large = ((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10);
    words[index] = (words[index - 16] as number) + small + (words[index - 7] as number) + large;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let index = 0; index < 64; index += 1) {
    const high = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const choice = (e & f) ^ (~e & g);
    const first = (h + high + choice + (constants[index] as number) + (words[index] as number)) | 0;
    const low = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
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
