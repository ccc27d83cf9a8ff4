/**
 * Where all chance of a run comes from. A tape is drawn from a seed or played back from numbers; once
 * those are used up every draw is 0, which always means the plainest choice: no fault, the first of
 * a list. So a shorter tape with smaller numbers is a simpler run, and a failure shrinks to one.
 */
export interface Tape {
  /** A whole number from 0 to below `count`. */
  draw(count: number): number;
  /** True in `perMille` of a thousand cases. */
  chance(perMille: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** All that was drawn so far. */
  readonly drawn: readonly number[];
}

/** A tape that a seed decides. */
export function seededTape(seed: number): Tape {
  const next = createGenerator(seed);
  return tapeOf((count) => Math.floor(next() * count));
}

/** A tape that says again what another one said. */
export function playedTape(numbers: readonly number[]): Tape {
  let at = 0;
  return tapeOf((count) => {
    const number = numbers[at] ?? 0;
    at += 1;
    return number % count;
  });
}

function tapeOf(next: (count: number) => number): Tape {
  const drawn: number[] = [];
  const draw = (count: number): number => {
    if (count <= 1) return 0;
    const number = next(count);
    drawn.push(number);
    return number;
  };
  return {
    draw,
    // The high end means yes, so that 0 means no.
    chance: (perMille) => perMille > 0 && draw(1000) >= 1000 - perMille,
    pick: (list) => {
      const picked = list[draw(list.length)];
      if (picked === undefined) throw new Error("nothing to pick from");
      return picked;
    },
    drawn,
  };
}

/** Numbers from 0 to below 1 (sfc32 by Chris Doty-Humphrey, seeded by a counter). */
export function createGenerator(seed: number, purpose = 0): () => number {
  let [a, b, c, counter] = [seed | 0, (seed / 4294967296) | 0, (0x9e3779b9 + purpose) | 0, 1];
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 4294967296;
  };
  for (let turn = 0; turn < 12; turn += 1) next();
  return next;
}

/** Bytes that follow from a seed; never the tape's, or every id would stand on it. */
export function seededBytes(
  seed: number,
  purpose: number,
): { bytes(count: number): Uint8Array<ArrayBuffer> } {
  const next = createGenerator(seed, purpose);
  return {
    bytes: (count) => {
      const bytes = new Uint8Array(count);
      for (let at = 0; at < count; at += 1) bytes[at] = Math.floor(next() * 256);
      return bytes;
    },
  };
}
