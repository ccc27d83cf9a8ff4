import { syncLimits } from "../sync-limits.ts";
import { aroundMs, backoffMs } from "./backoff.ts";
import { quietStep, type Effect, type Step } from "./effect.ts";
import type { Moment } from "./event.ts";
import { rest, succeed, want } from "./lane.ts";
import { withLane, type ActiveState } from "./state.ts";

/**
 * Makes a heal due (HL30): at once the first time, later with growing delays, and after
 * `healsMax` in a row without equal digests only after a long rest, with a word to the person.
 */
export function heal(state: ActiveState, at: Moment): Step<ActiveState> {
  if (state.heal.dueAtMs !== undefined) return quietStep(state);
  if (state.kind === "forked") return quietStep(healNow(state, at));
  if (state.heals < syncLimits.healsMax) {
    const delayMs = state.heals === 0 ? 0 : backoffMs(state.heals, at.jitter);
    return {
      state: withLane(state, "heal", want(state.heal, at.nowMs + delayMs)),
      effects: [{ kind: "report", report: { kind: "heal-started", heals: state.heals + 1 } }],
    };
  }
  return restHeals(state, at, [
    { kind: "report", report: { kind: "needs-attention", heals: state.heals } },
  ]);
}

/** Makes a heal due at once, where one is part of the cure: after a fork, for a clock too far ahead. */
export function healNow(state: ActiveState, at: Moment): ActiveState {
  return withLane(state, "heal", want(rest(state.heal), at.nowMs));
}

/** A heal finished: pull to compare, push what waited for it. */
export function healAnswered(state: ActiveState, at: Moment, left: number): Step<ActiveState> {
  const healed: ActiveState = {
    ...state,
    kind: state.kind === "needs-attention" ? "needs-attention" : "running",
    heal: succeed(state.heal, at.nowMs),
    pull: want(state.pull, at.nowMs),
    push: want(state.push, at.nowMs),
    isPushHeld: false,
    isConnected: true,
    heals: state.heals + 1,
  };
  if (left === 0) return quietStep(healed);
  return restHeals({ ...healed, heal: rest(healed.heal) }, at, [
    { kind: "report", report: { kind: "heal-left", left } },
  ]);
}

/** The digests are equal: all is well again. */
export function verified(state: ActiveState): ActiveState {
  return {
    ...state,
    kind: "running",
    heal: rest(state.heal),
    heals: 0,
    forks: 0,
  };
}

function restHeals(state: ActiveState, at: Moment, effects: readonly Effect[]): Step<ActiveState> {
  const atMs = at.nowMs + aroundMs(syncLimits.healRestMs, at.jitter);
  // A one-shot sync does not wait for an hour; the store remembers that a heal is due.
  const lane = state.mode === "once" ? rest(state.heal) : want(state.heal, atMs);
  return {
    state: { ...state, kind: "needs-attention", heal: lane },
    effects: state.kind === "needs-attention" ? [] : effects,
  };
}
