/** Draws numbers below one, the same for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = (seed + 0x6d2b_79f5) >>> 0;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b_3c6d) + 0x9e37_79b9) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

/** Draws `count` characters of an alphabet, beginning with a digit, a lower and an upper letter if it has them. */
export function drawChars(alphabet: string, count: number, seed: number): string {
  const next = seededRandom(seed);
  const draw = (from: string): string => from[Math.floor(next() * from.length)] ?? "";
  const heads = [/[0-9]/g, /[a-z]/g, /[A-Z]/g].map((each) => (alphabet.match(each) ?? []).join(""));
  let out = "";
  while (out.length < count) out += draw((out.length < 3 ? heads[out.length] : "") || alphabet);
  return out;
}

/** Draws bytes. */
export function drawBytes(count: number, seed: number): readonly number[] {
  const next = seededRandom(seed);
  return Array.from({ length: count }, () => Math.floor(next() * 256));
}

/** Every character that ASCII prints but the blank. */
export const allChars: readonly string[] = Array.from({ length: 94 }, (_, index) =>
  String.fromCharCode(33 + index),
);

export const digits = "0123456789";
export const upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
export const alnum: string = allChars.filter((char) => /[A-Za-z0-9]/.test(char)).join("");
export const base64: string = `${alnum}+/`;
export const hex = "0123456789abcdef";
