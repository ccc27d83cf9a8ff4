import {
  judgePosition,
  type ForkCause,
  type OpResult,
  type Position,
  type PositionVerdict,
} from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { markOp, opsAfter, opsOfRecord } from "../records/outbox.ts";
import type { OutboxRow, ReplicaRow } from "../rows.ts";
import { restartWriter } from "./fork.ts";

/** What a position did, or the fork that it showed. No view changes by it. */
export type PositionOutcome =
  | { readonly kind: "followed" }
  | { readonly kind: "fork"; readonly cause: ForkCause };

/**
 * Judges the position in an answer and takes it, before anything else of the answer is applied
 * (CH10). A fork starts a new writer and leaves the rest of the answer alone.
 */
export function followPosition(
  context: StoreContext,
  replica: ReplicaRow,
  ackedAtRequest: number,
  position: Position,
): PositionOutcome {
  const verdict = judge(context, replica, ackedAtRequest, position);
  switch (verdict.kind) {
    case "fork":
      restartWriter(context, replica, verdict.cause);
      return { kind: "fork", cause: verdict.cause };
    case "answer-lost":
      takeResults(context, replica, verdict.position);
      return { kind: "followed" };
    case "same":
    case "stale":
      return { kind: "followed" };
  }
}

function judge(
  context: StoreContext,
  replica: ReplicaRow,
  ackedAtRequest: number,
  position: Position,
): PositionVerdict {
  const { acked, made } = replica;
  const chainAt = (n: number): string | undefined => {
    if (n === acked) return replica.acked_chain;
    if (n === made) return replica.chain;
    return opsAfter(context, replica, { after: n - 1, upTo: n, limit: 1 })[0]?.chain;
  };
  return judgePosition({ ackedAtRequest, acked, made, chainAt }, position);
}

function takeResults(context: StoreContext, replica: ReplicaRow, position: Position): void {
  const range = { after: replica.acked, upTo: position.acked };
  for (const result of position.results.toSorted((left, right) => left.n - right.n)) {
    if (result.n <= range.after || result.n > range.upTo) continue;
    const [row] = opsAfter(context, replica, { after: result.n - 1, upTo: result.n, limit: 1 });
    if (row === undefined) continue;
    takeResult(context, replica, row, result);
  }
  replica.acked = position.acked;
  replica.acked_chain = position.chain;
}

function takeResult(
  context: StoreContext,
  replica: ReplicaRow,
  row: OutboxRow,
  result: OpResult,
): void {
  switch (result.result) {
    // What was changed unaware of a forget goes with the tombstone (OP18), not by an answer's word.
    case "forgotten":
    case "conflict":
      return;
    case "rejected":
      markOp(context, row, "rejected", result.code);
      return;
    case "unknown-record":
      takeUnknownRecord(context, replica, row);
  }
}

// A heal may bring the record back (a server that was restored), once: an op that is unknown again
// ends here, or it would go round for ever.
function takeUnknownRecord(context: StoreContext, replica: ReplicaRow, row: OutboxRow): void {
  if (hasRejectedPut(context, row)) markOp(context, row, "rejected", "depends");
  else if (row.reissued === 1) markOp(context, row, "rejected", "unknown-record");
  else {
    markOp(context, row, "unknown", null);
    replica.heal_why ??= "unknown-record";
  }
}

function hasRejectedPut(context: StoreContext, row: OutboxRow): boolean {
  return opsOfRecord(context, row.namespace, row.record).some(
    (other) => other.op === "put" && other.state === "rejected",
  );
}
