import type { RejectCode } from "./errors.ts";

/**
 * The final answer to one op that was not plainly applied. A server of a later version may refuse
 * with a code that this one does not know (WR38).
 */
export type OpResult =
  | { readonly n: number; readonly result: "conflict" | "forgotten" | "unknown-record" }
  | { readonly n: number; readonly result: "rejected"; readonly code: RejectCode | (string & {}) };
