let constants: { readonly start: Uint32Array; readonly rounds: Uint32Array } | undefined;

/** SHA-256 of some bytes. For checksums in keys: a caller's HMAC has a faster one. */
export function sha256(bytes: Uint8Array): Uint8Array {
  constants ??= buildConstants();
  const padded = pad(bytes);
  const state = Uint32Array.from(constants.start);
  const schedule = new Uint32Array(64);
  for (let offset = 0; offset < padded.byteLength; offset += 64) {
    fillSchedule(schedule, padded, offset);
    compress(state, schedule, constants.rounds);
  }
  const digest = new Uint8Array(32);
  const view = new DataView(digest.buffer);
  state.forEach((word, index) => view.setUint32(index * 4, word));
  return digest;
}

/** First bits of the fractions of roots of primes: square roots to start, cube roots for rounds. */
function buildConstants(): { start: Uint32Array; rounds: Uint32Array } {
  const primes: number[] = [];
  for (let number = 2; primes.length < 64; number++) {
    if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  }
  const fraction = (root: number): number => Math.floor((root % 1) * 2 ** 32);
  return {
    start: Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime))),
    rounds: Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime))),
  };
}

function pad(bytes: Uint8Array): DataView {
  const padded = new Uint8Array((((bytes.length + 8) >> 6) + 1) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, bytes.length * 8);
  return view;
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

function fillSchedule(schedule: Uint32Array, block: DataView, offset: number): void {
  const word = (index: number): number => schedule[index] as number;
  for (let index = 0; index < 16; index++) schedule[index] = block.getUint32(offset + index * 4);
  for (let index = 16; index < 64; index++) {
    const early = word(index - 15);
    const late = word(index - 2);
    const low = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const high = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    schedule[index] = word(index - 16) + low + word(index - 7) + high;
  }
}

function compress(state: Uint32Array, schedule: Uint32Array, rounds: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let index = 0; index < 64; index++) {
    const mixed = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const chosen = (e & f) ^ (~e & g);
    const first =
      (h + mixed + chosen + (rounds[index] as number) + (schedule[index] as number)) | 0;
    const second =
      ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => {
    state[index] = (state[index] as number) + word;
  });
}
