import { limits } from "@tidemark/protocol";
import type { SentOp } from "../../store/replica-store.ts";
import { syncLimits } from "../sync-limits.ts";
import { aroundMs, backoffMs } from "./backoff.ts";
import { quietStep, type Effect, type Step } from "./effect.ts";
import type { Moment, PullOutcome, PushOutcome } from "./event.ts";
import { heal, verified } from "./heals.ts";
import { release, rest, retryAfter, succeed, want, type LaneName } from "./lane.ts";
import { withLane, type ActiveState, type RefusedOp } from "./state.ts";

/** A push was answered. */
export function pushAnswered(
  state: ActiveState,
  at: Moment,
  outcome: PushOutcome,
): Step<ActiveState> {
  switch (outcome.kind) {
    case "nothing":
      return quietStep(withLane(state, "push", release(state.push)));
    case "taken":
      return quietStep(withEcho(pushTaken(state, at, outcome.hasMore), at, outcome.hasMore));
    case "advanced":
      return quietStep(verified(pushTaken(state, at, outcome.hasMore)));
    case "heal-due":
      return heal(withEcho(pushTaken(state, at, outcome.hasMore), at, outcome.hasMore), at);
    case "position":
      return quietStep(withEcho(positionMissed(state, at), at, outcome.hasMore));
    case "refused":
      return pushRefused(state, at, outcome);
  }
}

function pushTaken(state: ActiveState, at: Moment, hasMore: boolean): ActiveState {
  const push = succeed(state.push, at.nowMs);
  return {
    ...state,
    push: hasMore ? want(push, at.nowMs) : push,
    isConnected: true,
    lamportMisses: 0,
    positionMisses: 0,
    refusedOp: undefined,
    batchOps: Math.min(state.batchOps * 2, limits.pushOpsMax),
  };
}

// The echo is the verification: an op leaves the outbox when a pull has shown it. A long outbox is
// sent first: pages in between would slow it down, and show nothing sooner to anybody else.
function withEcho(state: ActiveState, at: Moment, hasMore: boolean): ActiveState {
  return hasMore ? state : withLane(state, "pull", want(state.pull, at.nowMs));
}

/**
 * One miss is a lost answer; more in a row are a disagreement that haste does not settle. What a lost
 * answer had told of the head, a pull has to show where nothing more is to be sent.
 */
function positionMissed(state: ActiveState, at: Moment): ActiveState {
  const positionMisses = state.positionMisses + 1;
  const push =
    positionMisses === 1
      ? want(succeed(state.push, at.nowMs), at.nowMs)
      : retryAfter(state.push, at.nowMs, backoffMs(positionMisses, at.jitter));
  return { ...state, push, positionMisses };
}

type Refused = Extract<PushOutcome, { kind: "refused" }>;

/**
 * The server could not take the push as a whole (EN8): half of it is tried, down to the one op
 * that is at fault. That one is refused here and stays visible. A second unreadable op in a row is
 * not the op's fault, so it is kept and tried again after long; one that could not be refused here is
 * refused again then.
 */
function pushRefused(state: ActiveState, at: Moment, refused: Refused): Step<ActiveState> {
  const { code, ops, first } = refused;
  const again = want(release(state.push), at.nowMs);
  if (ops > 1) return quietStep({ ...state, push: again, batchOps: Math.floor(ops / 2) });
  const delayMs = aroundMs(syncLimits.longDelayMs, at.jitter);
  const later = withLane(state, "push", retryAfter(state.push, at.nowMs, delayMs));
  const reject: Effect = { kind: "reject-op", op: first, code };
  // A disk that was full kept it in the outbox.
  if (isSameOp(state.refusedOp, first)) return { state: later, effects: [reject] };
  if (code === "invalid" && state.refusedOp?.code === "invalid") {
    const report = { kind: "trouble", lane: "push", code } as const;
    return { state: later, effects: [{ kind: "report", report }] };
  }
  const report = { kind: "op-refused", n: first.n, code } as const;
  return {
    state: { ...state, push: again, refusedOp: { ...first, code } },
    effects: [reject, { kind: "report", report }],
  };
}

function isSameOp(known: RefusedOp | undefined, { writer, n }: SentOp): boolean {
  return known?.writer === writer && known.n === n;
}

/** A pull was answered. */
export function pullAnswered(
  state: ActiveState,
  at: Moment,
  outcome: PullOutcome,
): Step<ActiveState> {
  switch (outcome.kind) {
    case "nothing":
      return quietStep(withLane(state, "pull", nextPoll(state, at)));
    case "heal-due":
      return heal(pulled(state, at, false), at);
    case "taken": {
      const next = pulled(state, at, outcome.hasMore);
      if (outcome.hasMore) return quietStep(next);
      if (outcome.needsHeal || state.kind === "forked") return heal(next, at);
      return quietStep(verified(next));
    }
  }
}

function pulled(state: ActiveState, at: Moment, hasMore: boolean): ActiveState {
  const next = { ...state, pull: succeed(state.pull, at.nowMs), isConnected: true };
  return withLane(next, "pull", hasMore ? want(next.pull, at.nowMs) : nextPoll(next, at));
}

function nextPoll(state: ActiveState, at: Moment): ActiveState["pull"] {
  const pull = release(state.pull);
  if (state.mode === "once") return pull;
  return want(pull, at.nowMs + pollMs(state.isStreamHealthy, at.jitter));
}

/** The poke stream opened or closed: opened, everything missed is pulled; closed, polls come sooner. */
export function streamChanged(state: ActiveState, at: Moment, isHealthy: boolean): ActiveState {
  const next = { ...state, isStreamHealthy: isHealthy };
  if (state.mode === "once") return next;
  const delayMs = isHealthy ? 0 : pollMs(false, at.jitter);
  return withLane(next, "pull", want(next.pull, at.nowMs + delayMs));
}

function pollMs(isStreamHealthy: boolean, jitter: number): number {
  return aroundMs(isStreamHealthy ? syncLimits.pollWithStreamMs : syncLimits.pollMs, jitter);
}

/**
 * A new writer was minted (CH4): pull, then heal, then push. What is still in flight belongs to the
 * old writer, so it is cancelled. Forks in a row without equal digests slow down.
 */
export function forked(
  state: ActiveState,
  at: Moment,
  cause: Extract<Effect, { kind: "report" }>,
  lane: LaneName,
): Step<ActiveState> {
  const others = (["push", "pull", "heal"] as const).filter(
    (name) => name !== lane && state[name].isBusy,
  );
  const forks = state.forks + 1;
  const delayMs = forks === 1 ? 0 : backoffMs(forks, at.jitter);
  return {
    state: {
      ...state,
      kind: "forked",
      push: want(release(state.push), at.nowMs),
      pull: want(release(rest(state.pull)), at.nowMs + delayMs),
      heal: rest(release(state.heal)),
      isPushHeld: true,
      heals: 0,
      forks,
      lamportMisses: 0,
      positionMisses: 0,
    },
    effects: [...others.map((name) => ({ kind: "cancel", lane: name }) as const), cause],
  };
}
