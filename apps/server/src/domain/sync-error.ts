import type { Position } from "@tidemark/protocol";

/** Why a request of the sync protocol failed; `kind` is the code on the wire. */
export type SyncError =
  | {
      readonly kind:
        | "not-found"
        | "invalid"
        | "too-large"
        | "history"
        | "writer-foreign"
        | "lamport-too-far"
        | "stale-epoch";
    }
  | { readonly kind: "writer-position"; readonly position: Position }
  | { readonly kind: "unavailable"; readonly retryAfterMs: number };

/** The database or a queue cannot take it now; nothing was consumed, or a repeat will tell. */
export const unavailable: SyncError = { kind: "unavailable", retryAfterMs: 1000 };
