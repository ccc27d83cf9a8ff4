import { syncLimits } from "../sync-limits.ts";
import type { Failure } from "../transport.ts";
import { aroundMs, backoffMs } from "./backoff.ts";
import { quietStep, type Effect, type Step } from "./effect.ts";
import type { Moment } from "./event.ts";
import { heal, healNow } from "./heals.ts";
import { release, retryAfter, want, type Lane, type LaneName } from "./lane.ts";
import { halt } from "./settle.ts";
import { withLane, type ActiveState } from "./state.ts";

/** A request of a lane failed: the family decides, never the status code (WR30). */
export function failed(state: ActiveState, at: Moment, lane: LaneName, failure: Failure): Step {
  switch (failure.family) {
    case "retry":
      return quietStep(retried(state, at, lane, failure));
    case "auth":
      return loginNeeded(state, at, lane, failure.code);
    case "upgrade":
      return upgradeNeeded(state, lane, failure.code);
    case "heal":
      return healNeeded(state, at, lane, failure.code);
    case "reject":
    case "bug":
      return troubled(state, at, lane, failure);
  }
}

/** Transient: the same request again, after a backoff; an outage spreads the devices' return. */
function retried(state: ActiveState, at: Moment, lane: LaneName, failure: Failure): ActiveState {
  const isFirst = state.isConnected && state.mode === "continuous";
  const spreadMs = isFirst ? at.jitter * syncLimits.reconnectSpreadMs : 0;
  const delayMs = backoffMs(state[lane].failures + 1, at.jitter, failure.retryAfterMs);
  const next = withLane(state, lane, retryAfter(state[lane], at.nowMs, delayMs + spreadMs));
  return { ...next, isConnected: false };
}

/** The transport has renewed its token once already: only a person can help. Nothing is dropped. */
function loginNeeded(state: ActiveState, at: Moment, lane: LaneName, code: string): Step {
  const { mode, isStreamHealthy } = state;
  const atMs = at.nowMs + aroundMs(syncLimits.longDelayMs, at.jitter);
  const isWaiting = mode === "continuous";
  return halt(
    withLane(state, lane, release(state[lane])),
    { kind: "needs-login", mode, isStreamHealthy, code },
    [
      { kind: "report", report: { kind: "needs-login", code } },
      ...(isWaiting ? [{ kind: "set-timer", lane: "pull", atMs } as const] : []),
    ],
  );
}

function upgradeNeeded(state: ActiveState, lane: LaneName, code: string): Step {
  const { mode, isStreamHealthy } = state;
  const side = code === "upgrade-server" ? "server" : "client";
  return halt(
    withLane(state, lane, release(state[lane])),
    { kind: "needs-upgrade", mode, isStreamHealthy, side },
    [{ kind: "report", report: { kind: "needs-upgrade", side } }],
  );
}

/**
 * The histories do not fit. A clock too far ahead is first told to the server by a heal; only a
 * damaged clock gets here twice, and then unsent ops are stamped again (CK4).
 */
function healNeeded(state: ActiveState, at: Moment, lane: LaneName, code: string): Step {
  if (lane === "heal") return troubled(state, at, lane, { code });
  if (lane === "push" && code === "lamport-too-far") return clockTooFar(state, at, code);
  const positionMisses = state.positionMisses + (lane === "push" ? 1 : 0);
  // A heal does not cure a push that misses again; what a pull says is another matter.
  if (lane === "push" && positionMisses > 1)
    return troubled({ ...state, positionMisses }, at, lane, { code });
  const next = withLane({ ...state, positionMisses }, lane, afterHeal(state, at, lane));
  return demanded(heal(next, at), code);
}

function clockTooFar(state: ActiveState, at: Moment, code: string): Step {
  const lamportMisses = state.lamportMisses + 1;
  const next = { ...state, push: want(release(state.push), at.nowMs), lamportMisses };
  if (lamportMisses === 1) {
    return demanded(quietStep({ ...healNow(next, at), isPushHeld: true }), code);
  }
  if (lamportMisses > 2) return troubled({ ...state, lamportMisses }, at, "push", { code });
  return {
    state: next,
    effects: [{ kind: "restamp-lamports" }, { kind: "report", report: { kind: "clock-repaired" } }],
  };
}

/** A finished heal starts the lane; this is for the case that the heal itself has to rest. */
function afterHeal(state: ActiveState, at: Moment, name: LaneName): Lane {
  const lane = release(state[name]);
  if (state.mode === "once") return lane;
  return want(lane, at.nowMs + aroundMs(syncLimits.pollMs, at.jitter));
}

function demanded(step: Step, why: string): Step {
  return { ...step, effects: [{ kind: "demand-heal", why }, ...step.effects] };
}

/**
 * An answer that haste cannot change: kept, reported, tried again after long (EN9). Never
 * permission to drop anything. Where the namespace itself is denied, `hello` knows more.
 */
function troubled(
  state: ActiveState,
  at: Moment,
  lane: LaneName,
  failure: Pick<Failure, "code" | "retryAfterMs">,
): Step {
  const { code, retryAfterMs = 0 } = failure;
  const minimumMs = Math.min(retryAfterMs, syncLimits.retryAfterMsMax);
  const delayMs = Math.max(aroundMs(syncLimits.longDelayMs, at.jitter), minimumMs);
  const isDenied = code === "not-found" || code === "forbidden";
  const effects: readonly Effect[] = [
    { kind: "report", report: { kind: "trouble", lane, code } },
    ...(isDenied ? [{ kind: "ask-hello" } as const] : []),
  ];
  return { state: withLane(state, lane, retryAfter(state[lane], at.nowMs, delayMs)), effects };
}
