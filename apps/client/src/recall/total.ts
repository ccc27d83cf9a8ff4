/** How many there are in all: counted up to a limit, as more take time and tell no more. */
export interface Total {
  readonly total: number;
  /** There are more than `total`. */
  readonly totalIsAtLeast?: true;
}

/** Most observations of a list that are counted. */
export const countedMax = 10_000;

/** Most matches of a search that are counted: each has to be looked up. */
export const searchCountedMax = 1_000;

/** Asks for a number up to one more than is told. */
export function totalBy(count: (upTo: number) => number, max = countedMax): Total {
  const found = count(max + 1);
  return found > max ? { total: max, totalIsAtLeast: true } : { total: found };
}
