import { limits } from "./limits.ts";

/** Of what is left of the lamports, one heal takes a millionth at most. */
const shareOfRest = 2 ** 20;

/**
 * How far one heal may raise a namespace's lamport (CK6): by 2^32, which is more than any restored
 * server is behind, and less where the lamports come to their end: no number of heals uses them up, so
 * that a write has one left.
 */
export function healRaiseMax(lamport: number): number {
  const rest = limits.lamportMax - lamport;
  return Math.min(limits.healLamportRaiseMax, Math.floor(rest / shareOfRest));
}
