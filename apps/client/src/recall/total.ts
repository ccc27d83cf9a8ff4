/** How many there are in all: counted up to {@link countedMax}, as more take time and tell no more. */
export interface Total {
  readonly total: number;
  /** There are more than `total`. */
  readonly totalIsAtLeast?: true;
}

/** Most that are counted. */
export const countedMax = 10_000;

/** Asks for a number up to one more than is told. */
export function totalBy(count: (upTo: number) => number): Total {
  const found = count(countedMax + 1);
  return found > countedMax ? { total: countedMax, totalIsAtLeast: true } : { total: found };
}
