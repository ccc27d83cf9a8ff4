import type { OpResult } from "./op-result.ts";

/** How far the server has taken a writer's ops, as every push and pull answer tells it. */
export interface Position {
  /** Ops consumed: the `n` of the last one, 0 before the first. */
  readonly acked: number;
  /** The running hash at `acked`. */
  readonly chain: string;
  /** The `after` of the last accepted push: results of ops up to here are no longer kept. */
  readonly since: number;
  /** Results of the last accepted push that were not plainly applied. */
  readonly results: readonly OpResult[];
}

/** What this store knows of its own writer when an answer arrives. */
export interface OwnPosition {
  /** What was acknowledged when the request left. */
  readonly ackedAtRequest: number;
  /** What is acknowledged now; another answer may have come in between. */
  readonly acked: number;
  /** The last `n` ever made. */
  readonly made: number;
  /** The running hash at `n`, where this store still has it: from `acked` on. */
  readonly chainAt: (n: number) => string | undefined;
}

/** What happened to a history that forked. */
export type ForkCause = "home-restored" | "home-cloned" | "server-restored";

/** What a position in an answer means. */
export type PositionVerdict =
  | { readonly kind: "same" }
  | { readonly kind: "stale" }
  | { readonly kind: "answer-lost"; readonly position: Position }
  | { readonly kind: "fork"; readonly cause: ForkCause };

/**
 * Judges the position in an answer, before anything else in the answer is applied (CH3).
 *
 * Compared with what was acknowledged when the request left, or a late answer would look like a
 * restored server. The three forks differ only in what the person is told; the cure is one (CH4):
 * a new writer, unsent and unverified ops stamped again, then pull, heal, push.
 *
 * - the server is ahead of all this store ever made, or kept no results for what it consumed since:
 *   this home was restored from an older copy
 * - the same `n` with another hash: the home was copied and both copies lived on
 * - behind what was acknowledged: the server was restored from a backup
 */
export function judgePosition(own: OwnPosition, theirs: Position): PositionVerdict {
  if (theirs.acked > own.made) return { kind: "fork", cause: "home-restored" };
  if (theirs.acked < own.ackedAtRequest) return { kind: "fork", cause: "server-restored" };
  const chain = own.chainAt(theirs.acked);
  if (chain !== undefined && chain !== theirs.chain) return { kind: "fork", cause: "home-cloned" };
  if (theirs.acked < own.acked) return { kind: "stale" };
  if (theirs.acked === own.acked) return { kind: "same" };
  if (own.acked < theirs.since) return { kind: "fork", cause: "home-restored" };
  return { kind: "answer-lost", position: theirs };
}
