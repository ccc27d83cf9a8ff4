import type { Outcome } from "./trial.ts";

/** Runs a tape; gives what broke. */
export type Rerun = (tape: readonly number[]) => Promise<Outcome>;

/**
 * Makes a failing tape smaller: leaves out stretches, then sets stretches to 0, then lowers single
 * numbers, and keeps whatever still breaks the same rule. A shorter tape with more zeros is a run
 * with fewer people, actions and faults.
 */
export async function shrink(
  failing: Outcome,
  rerun: Rerun,
  onProgress: (length: number, runs: number) => void,
  runsMax = 400,
): Promise<readonly number[]> {
  const rule = failing.failure?.rule;
  const hunt = { best: trimmed(failing.tape), runs: 0 };
  const breaks = async (tape: readonly number[]): Promise<boolean> => {
    hunt.runs += 1;
    const outcome = await rerun(tape);
    if (outcome.failure?.rule !== rule) return false;
    hunt.best = trimmed(tape);
    onProgress(hunt.best.length, hunt.runs);
    return true;
  };
  for (const simplify of [withoutStretch, zeroed]) {
    for (let size = Math.ceil(hunt.best.length / 2); size >= 1; size >>= 1) {
      await sweep(hunt, { size, runsMax, simplify, breaks });
    }
  }
  return hunt.best;
}

type Simplify = (
  tape: readonly number[],
  at: number,
  size: number,
) => readonly number[] | undefined;

async function sweep(
  hunt: { readonly best: readonly number[]; readonly runs: number },
  how: {
    readonly size: number;
    readonly runsMax: number;
    readonly simplify: Simplify;
    readonly breaks: (tape: readonly number[]) => Promise<boolean>;
  },
): Promise<void> {
  const { size, runsMax, simplify, breaks } = how;
  let at = 0;
  while (at < hunt.best.length && hunt.runs < runsMax) {
    const simpler = simplify(hunt.best, at, size);
    const isSimpler = simpler !== undefined && (await breaks(simpler));
    if (!isSimpler) at += size;
  }
}

function withoutStretch(tape: readonly number[], at: number, size: number): readonly number[] {
  return [...tape.slice(0, at), ...tape.slice(at + size)];
}

function zeroed(tape: readonly number[], at: number, size: number): readonly number[] | undefined {
  const stretch = tape.slice(at, at + size);
  if (stretch.every((number) => number === 0)) return undefined;
  return [...tape.slice(0, at), ...stretch.map(() => 0), ...tape.slice(at + size)];
}

/** Zeros at the end say nothing: an exhausted tape gives zeros. */
function trimmed(tape: readonly number[]): readonly number[] {
  let end = tape.length;
  while (end > 0 && tape[end - 1] === 0) end -= 1;
  return tape.slice(0, end);
}
