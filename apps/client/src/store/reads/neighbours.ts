import type { StoreContext } from "../context.ts";

/** A match of a search, by its row in `observations`. */
export interface Match {
  readonly id: number;
  readonly session: string | null;
  readonly created_at: number;
  /** bm25, lower is better. */
  readonly rank: number;
}

/** Best matches that are looked at for neighbours; those behind them keep their order. */
export const neighboursMax = 200;

/** What the match before or after it in its session lends to one. Measured: `bench/recall.ts`. */
const neighbourShare = 0.2;

/**
 * Best matches first, each with a share of the ranks of those that stand right before and after it in
 * its session (RC20): what was done about one thing is told by several observations in a row, and a
 * question seldom has the words of the very one that answers it. Nothing comes in that does not match.
 */
export function withNeighbours<T extends Match>(
  { db }: StoreContext,
  matches: readonly T[],
): readonly T[] {
  const head = matches.slice(0, neighboursMax);
  const rankById = new Map(head.map(({ id, rank }) => [id, rank]));
  const lentById = new Map<number, number>();
  const lend = (to: number, rank: number | undefined): void => {
    if (rank === undefined) return;
    lentById.set(to, (lentById.get(to) ?? 0) + neighbourShare * rank);
  };
  for (const { id, session, created_at: createdAt, rank } of head) {
    if (session === null) continue;
    const next = db.get<{ id: number }>(nextSql, session, createdAt, id);
    if (next === undefined || !rankById.has(next.id)) continue;
    lend(next.id, rank);
    lend(id, rankById.get(next.id));
  }
  if (lentById.size === 0) return matches;
  const ranked = head.map((match) => ({
    ...match,
    rank: match.rank + (lentById.get(match.id) ?? 0),
  }));
  return [
    ...ranked.toSorted((left, right) => left.rank - right.rank),
    ...matches.slice(neighboursMax),
  ];
}

const nextSql = `SELECT id FROM observations
  WHERE session = ? AND (created_at, id) > (?, ?) ORDER BY created_at, id LIMIT 1`;
