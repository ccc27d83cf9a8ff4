import type { RecordId } from "@tidemark/protocol";
import type { ObservationFilter } from "../store/local-store.ts";
import type { Observation } from "../store/observation.ts";

/** What is near to a search by the vector of its words (RC30). */
export interface Nearness {
  /** What it counts beside the words, from 0 to 1. */
  readonly weight: number;
  /** Observations that a filter wants, the nearest first; its window is not looked at. */
  readonly nearest: (filter: ObservationFilter, limit: number) => readonly Observation[];
}

/** Nearest observations that a search looks at. Something is always near: further ones say nothing. */
export const nearestMax = 20;

/** Matches by words that are looked at for what is near too; those behind them keep their order. */
export const fusedMax = 200;

/**
 * What the first ranks of one list are ahead of the later ones: a list gives each of its own
 * 1 / (this + rank), by reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009). They take
 * 60 for lists of equal worth; with a small one what words find first stays first, unless it is near
 * too. Measured: `bench/recall.ts`.
 */
const rankOffset = 5;

/** Found by words and by nearness, each in its order, as one list: the best first. */
export function fuse(
  byWords: readonly Observation[],
  near: readonly Observation[],
  weight: number,
): readonly Observation[] {
  const found = new Map<string, { readonly observation: Observation; score: number }>();
  const add = (list: readonly Observation[], worth: number): void => {
    for (const [index, observation] of list.entries()) {
      const score = worth / (rankOffset + index + 1);
      const known = found.get(keyOf(observation));
      if (known === undefined) found.set(keyOf(observation), { observation, score });
      else known.score += score;
    }
  };
  add(byWords, 1);
  add(near, weight);
  return [...found.values()]
    .toSorted((left, right) => right.score - left.score)
    .map(({ observation }) => observation);
}

/** Those of `near` that are not in `byWords`. */
export function nearAlone(
  byWords: readonly Observation[],
  near: readonly Observation[],
): readonly RecordId[] {
  const keys = new Set(byWords.map(keyOf));
  return near.filter((each) => !keys.has(keyOf(each))).map(({ id }) => id);
}

function keyOf({ namespace, id }: Observation): string {
  return `${namespace} ${id}`;
}
