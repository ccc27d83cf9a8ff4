import { limits } from "@tidemark/protocol";
import type { SentOp } from "../../store/replica-store.ts";
import { syncLimits } from "../sync-limits.ts";
import { idleLane, type Lane, type LaneName } from "./lane.ts";

/** `continuous` polls and debounces for as long as it runs; `once` runs until quiet. */
export type Mode = "continuous" | "once";

/** What every state of a namespace knows. */
export interface Standing {
  readonly mode: Mode;
  /** Whether a poke stream is open, so that polling may be rare. */
  readonly isStreamHealthy: boolean;
}

/** The lanes of a namespace that is being synced, and what they have to remember. */
export interface Lanes extends Standing {
  readonly push: Lane;
  readonly pull: Lane;
  readonly heal: Lane;
  /** When the last push began. */
  readonly pushedAtMs: number | undefined;
  /** No push until a heal has finished: after a fork, and where a clock was too far ahead. */
  readonly isPushHeld: boolean;
  /** Whether the last thing heard of the server was good. */
  readonly isConnected: boolean;
  /** Heals since digests were last equal. */
  readonly heals: number;
  /** Forks since digests were last equal. */
  readonly forks: number;
  /** Pushes in a row that were refused for a clock too far ahead. */
  readonly lamportMisses: number;
  /** Pushes in a row that did not follow what the server has. */
  readonly positionMisses: number;
  /** The op that was refused here last, until a push is taken. */
  readonly refusedOp: RefusedOp | undefined;
  /** Ops that the next push may carry: halved where the server finds a push too large. */
  readonly batchOps: number;
}

/** An op that was refused here, and why. */
export interface RefusedOp extends SentOp {
  readonly code: "too-large" | "invalid";
}

/** A namespace that is being synced. */
export type ActiveState = Lanes & {
  /**
   * `forked`: a new writer was minted; pull, heal, then push. `needs-attention`: heals did not make
   * the digests equal; pushes and pulls go on, heals rest for long.
   */
  readonly kind: "running" | "forked" | "needs-attention";
};

/** A namespace that is not being synced; nothing of it is dropped. */
export type IdleState = Standing &
  (
    | { readonly kind: "needs-login"; readonly code: string }
    | { readonly kind: "needs-upgrade"; readonly side: "client" | "server" }
    | { readonly kind: "parked" }
    | { readonly kind: "stopped" }
  );

/** Where the sync of one namespace stands. */
export type State = ActiveState | IdleState;

/** Whether the namespace is being synced. */
export function isActive(state: State): state is ActiveState {
  return state.kind === "running" || state.kind === "forked" || state.kind === "needs-attention";
}

/** Lanes that have not run yet. */
export function freshLanes({ mode, isStreamHealthy }: Standing): Lanes {
  return {
    mode,
    isStreamHealthy,
    push: idleLane,
    pull: idleLane,
    heal: idleLane,
    pushedAtMs: undefined,
    isPushHeld: false,
    isConnected: false,
    heals: 0,
    forks: 0,
    lamportMisses: 0,
    positionMisses: 0,
    refusedOp: undefined,
    batchOps: limits.pushOpsMax,
  };
}

/** The state with one lane changed. */
export function withLane<S extends Lanes>(state: S, name: LaneName, lane: Lane): S {
  return { ...state, [name]: lane };
}

/** The lanes, in the order in which they may start: a heal keeps a pull waiting. */
export const laneNames: readonly LaneName[] = ["heal", "pull", "push"];

/** Whether nothing is in flight and nothing is due. */
export function isQuiet(state: State): boolean {
  if (!isActive(state)) return true;
  return laneNames.every((name) => !state[name].isBusy && state[name].dueAtMs === undefined);
}

/**
 * Whether a one-shot sync cannot get further in a short time (EN12): nothing is in flight, and what
 * is due has failed too often, has to wait too long, or is held by something that has.
 */
export function isSpent(state: State, nowMs: number): boolean {
  if (!isActive(state)) return true;
  return laneNames.every((name) => {
    const lane = state[name];
    if (lane.isBusy) return false;
    if (lane.dueAtMs === undefined || lane.streak >= syncLimits.onceFailuresMax) return true;
    const isHeld = name === "push" && state.isPushHeld;
    return isHeld || lane.dueAtMs - nowMs > syncLimits.onceWaitMsMax;
  });
}
