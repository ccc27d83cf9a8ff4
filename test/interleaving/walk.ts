/** Picks one of the options that are open at this point of a run. */
export type Choose = <T>(options: readonly T[]) => T;

/** A way through a run that was not the same when it was taken again. */
export class UnsteadyRun extends Error {}

/**
 * Runs `run` once for every sequence of choices that it can meet, depth first, and gives their
 * number. The same choices must lead to the same options; a run that strays is an error.
 */
export async function walkAll(run: (choose: Choose) => Promise<void>): Promise<number> {
  let planned: readonly number[] = [];
  for (let count = 1; ; count += 1) {
    const taken: { readonly index: number; readonly options: number }[] = [];
    const path = planned;
    await run((options) => {
      const index = path[taken.length] ?? 0;
      taken.push({ index, options: options.length });
      return pick(options, index);
    });
    const turn = taken.findLastIndex(({ index, options }) => index + 1 < options);
    if (turn === -1) return count;
    planned = taken.slice(0, turn + 1).map(({ index }, at) => (at === turn ? index + 1 : index));
  }
}

/** Numbers from 0 up to 1 that follow from a seed. */
export function seededNumbers(seed: number): () => number {
  let state = seed >>> 0;
  // mulberry32: small, and good enough to pick with.
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Chooses by a seed. */
export function seededChoose(seed: number): Choose {
  const next = seededNumbers(seed);
  return (options) => pick(options, Math.floor(next() * options.length));
}

/** The seed of a random test: that of `TIDEMARK_TEST_SEED`, else the preset. */
export function testSeed(preset: number): number {
  const given = process.env["TIDEMARK_TEST_SEED"];
  return given === undefined || given === "" ? preset : Number(given);
}

/** Names the seed where a random test fails, so that it can be played again. */
export async function withSeed<T>(seed: number, play: () => Promise<T>): Promise<T> {
  try {
    return await play();
  } catch (cause) {
    throw new Error(`failed with TIDEMARK_TEST_SEED=${seed}`, { cause });
  }
}

function pick<T>(options: readonly T[], index: number): T {
  const option = options[index];
  if (option === undefined) throw new UnsteadyRun(`no option ${index} of ${options.length}`);
  return option;
}
