import type { ForkCause } from "@tidemark/protocol";
import type { SentOp } from "../../store/replica-store.ts";
import type { Failure } from "../transport.ts";
import type { LaneName } from "./lane.ts";

/** What a push came to. */
export type PushOutcome =
  /** Nothing was there to send. */
  | { readonly kind: "nothing" }
  | { readonly kind: "taken"; readonly hasMore: boolean }
  /** Taken, and verified without a pull. */
  | { readonly kind: "advanced"; readonly hasMore: boolean }
  /** Taken, and a heal is due. */
  | { readonly kind: "heal-due"; readonly hasMore: boolean }
  /** Not taken: it did not follow; the position has been taken over. */
  | { readonly kind: "position"; readonly hasMore: boolean }
  /** Not taken: too large or unreadable as a whole. */
  | {
      readonly kind: "refused";
      readonly code: "too-large" | "invalid";
      readonly ops: number;
      readonly first: SentOp;
    };

/** What a pull came to. */
export type PullOutcome =
  | { readonly kind: "nothing" }
  /** `needsHeal` is the store's durable word once the head is reached. */
  | { readonly kind: "taken"; readonly hasMore: boolean; readonly needsHeal: boolean }
  | { readonly kind: "heal-due" };

/** What happened, without the moment. */
export type Happening =
  | { readonly kind: "local-change" }
  | { readonly kind: "poke" }
  | { readonly kind: "stream"; readonly isHealthy: boolean }
  | { readonly kind: "timer"; readonly lane: LaneName }
  | { readonly kind: "push-answered"; readonly outcome: PushOutcome }
  | { readonly kind: "pull-answered"; readonly outcome: PullOutcome }
  /** A heal finished. `left`: records that it could not make equal. */
  | { readonly kind: "heal-answered"; readonly left: number }
  | { readonly kind: "heal-demanded" }
  /** An answer showed a fork; the store has minted a new writer already. */
  | { readonly kind: "fork"; readonly lane: LaneName; readonly cause: ForkCause }
  | { readonly kind: "failed"; readonly lane: LaneName; readonly failure: Failure }
  | { readonly kind: "parked" }
  /** `hello` lists the namespace (again). */
  | { readonly kind: "unparked" }
  | { readonly kind: "stop" };

/** The moment at which something happens, and the chance that belongs to it. */
export interface Moment {
  readonly nowMs: number;
  /** 0 to 1. */
  readonly jitter: number;
}

/** What the machine is told. */
export type MachineEvent = Happening & Moment;
