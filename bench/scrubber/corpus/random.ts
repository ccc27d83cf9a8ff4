import { createHash } from "node:crypto";

/** Draws that are the same for the same seed, on every machine. */
export interface Random {
  /** A number from 0 up to 1. */
  next(): number;
  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number;
  pick<T>(list: readonly T[]): T;
  /** A copy in another order. */
  shuffled<T>(list: readonly T[]): T[];
  chance(probability: number): boolean;
}

/** Draws for one purpose: what another purpose draws, or how often, does not change them. */
export function createRandom(seed: string): Random {
  const words = createHash("sha256").update(seed).digest();
  let [a, b, c, d] = [0, 4, 8, 12].map((at) => words.readUInt32LE(at)) as [
    number,
    number,
    number,
    number,
  ];
  const next = (): number => {
    const t = (a + b + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t;
    return (t >>> 0) / 2 ** 32;
  };
  const int = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  const pick = <T>(list: readonly T[]): T => {
    const found = list[int(0, list.length - 1)];
    if (found === undefined) throw new Error("nothing to pick from");
    return found;
  };
  const shuffled = <T>(list: readonly T[]): T[] =>
    list
      .map((each) => ({ each, place: next() }))
      .toSorted((left, right) => left.place - right.place)
      .map(({ each }) => each);
  return { next, int, pick, shuffled, chance: (probability) => next() < probability };
}
