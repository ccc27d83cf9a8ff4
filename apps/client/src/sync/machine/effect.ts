import type { ForkCause } from "@tidemark/protocol";
import type { SentOp } from "../../store/replica-store.ts";
import type { LaneName } from "./lane.ts";
import type { State } from "./state.ts";

/** One line for people and the log: no memory text, no addresses. */
export type Report =
  | { readonly kind: "heal-started"; readonly heals: number }
  | { readonly kind: "heal-left"; readonly left: number }
  | { readonly kind: "needs-attention"; readonly heals: number }
  | { readonly kind: "fork"; readonly cause: ForkCause }
  | { readonly kind: "needs-login"; readonly code: string }
  | { readonly kind: "needs-upgrade"; readonly side: "client" | "server" }
  | { readonly kind: "parked" }
  | { readonly kind: "op-refused"; readonly n: number; readonly code: "too-large" | "invalid" }
  | { readonly kind: "clock-repaired" }
  /** An answer that no rule covers: tried again after long, nothing is dropped. */
  | { readonly kind: "trouble"; readonly lane: LaneName; readonly code: string };

/** What the engine has to do. */
export type Effect =
  | { readonly kind: "send-push"; readonly opsMax: number }
  | { readonly kind: "send-pull" }
  | { readonly kind: "start-heal" }
  /** Makes the heal durable, before anything else happens. */
  | { readonly kind: "demand-heal"; readonly why: string }
  | { readonly kind: "restamp-lamports" }
  | { readonly kind: "reject-op"; readonly op: SentOp; readonly code: "too-large" | "invalid" }
  | { readonly kind: "set-timer"; readonly lane: LaneName; readonly atMs: number }
  | { readonly kind: "cancel-timer"; readonly lane: LaneName }
  /** Ends the lane's request; its answer, should it still come, is not told. */
  | { readonly kind: "cancel"; readonly lane: LaneName }
  | { readonly kind: "ask-hello" }
  | { readonly kind: "report"; readonly report: Report };

/** The new state and what follows from it. */
export interface Step<S extends State = State> {
  readonly state: S;
  readonly effects: readonly Effect[];
}

/** A step that changes the state and asks for nothing. */
export function quietStep<S extends State>(state: S): Step<S> {
  return { state, effects: [] };
}
