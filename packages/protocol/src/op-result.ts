import type { RejectCode } from "./errors.ts";

/** The final answer to one op that was not plainly applied. */
export type OpResult =
  | { readonly n: number; readonly result: "conflict" | "forgotten" | "unknown-record" }
  | { readonly n: number; readonly result: "rejected"; readonly code: RejectCode };
