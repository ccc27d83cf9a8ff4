import type { WriterId } from "./ids.ts";
import { compareText } from "./json.ts";

/**
 * A place in the total order of changes (CK1): the higher lamport wins, the writer id breaks ties.
 * Never a wall time: laptops, containers and resumed machines have wrong clocks, and one stamp
 * from the future would poison such an order for good.
 */
export interface Clock {
  readonly lamport: number;
  readonly writer: WriterId;
}

/** Negative when `left` is older, positive when it is newer, 0 when both are the same clock. */
export function compareClocks(left: Clock, right: Clock): number {
  return left.lamport - right.lamport || compareText(left.writer, right.writer);
}

/** Whether a number may be a lamport (CK2): a safe integer from 1 on, `limits.lamportMax` the last. */
export function isLamport(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}

/**
 * The highest lamport an honest writer can have used (CK3): it started from something the server
 * had and ticks once per own op. Nobody can run the clock of a namespace away beyond it.
 *
 * @param namespaceLamport the highest lamport the server has consumed in the namespace
 * @param n the op's number
 * @param acked the writer's ops that the server has consumed
 */
export function lamportBound(namespaceLamport: number, n: number, acked: number): number {
  return namespaceLamport + (n - acked);
}
