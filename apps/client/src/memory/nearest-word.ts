/** Longest word that is compared: more is no slip of a finger. */
const wordCharsMax = 32;
/** Slips that a word may hold and still be meant. */
const slipsMax = 2;

/** The word that was meant by one that is not among them; undefined where none is close. */
export function nearestWord(word: string, words: readonly string[]): string | undefined {
  if (word.length > wordCharsMax) return undefined;
  const lower = word.toLowerCase();
  const ranked = words
    .map((candidate) => ({ candidate, slips: slipsBetween(lower, candidate.toLowerCase()) }))
    .toSorted((left, right) => left.slips - right.slips);
  const [best] = ranked;
  const isClose = best !== undefined && best.slips <= slipsMax && best.slips < word.length;
  return isClose ? best.candidate : undefined;
}

/** Letters to add, drop or replace, and neighbours to swap, to make one word of the other. */
function slipsBetween(from: string, to: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current: number[] = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current.push(
        Math.min(
          at(last, column) + 1,
          at(current, column - 1) + 1,
          at(last, column - 1) + (isSame ? 0 : 1),
          isSwap ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    beforeLast = last;
    last = current;
  }
  return at(last, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
