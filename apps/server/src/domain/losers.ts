import type { LiveRecord, Overwritten } from "@tidemark/protocol";
import { serverLimits } from "../limits.ts";
import { TransactionTooLarge } from "./transaction-too-large.ts";

/** Values that a change has lose: those that stay as conflicts, and those that a history keeps. */
export interface Losers {
  readonly conflicts: readonly LiveRecord[];
  readonly overwritten: readonly Overwritten[];
}

/**
 * Makes the count of one transaction. It throws `TransactionTooLarge` beyond what may lose in one
 * (PS14).
 */
export function createLosersCount(): (change: Losers) => void {
  let losers = 0;
  return ({ conflicts, overwritten }) => {
    losers += conflicts.length + overwritten.length;
    if (losers > serverLimits.transaction.losersMax) throw new TransactionTooLarge();
  };
}
