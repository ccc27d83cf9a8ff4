import type { Effect, Step } from "./effect.ts";
import type { Lane, LaneName } from "./lane.ts";
import {
  isActive,
  laneNames,
  withLane,
  type ActiveState,
  type IdleState,
  type State,
} from "./state.ts";

/**
 * Lets every lane that is due and allowed start, and keeps one timer for each that is due later.
 * Whatever a transition did, work that is due thus always has a request or a timer (EN2).
 */
export function settle(step: Step, nowMs: number): Step {
  if (!isActive(step.state)) return step;
  let state = step.state;
  const effects: Effect[] = [...step.effects];
  for (const name of laneNames) {
    if (isReady(state, name, nowMs)) {
      effects.push(startOf(state, name));
      state = withLane(state, name, { ...state[name], isBusy: true, dueAtMs: undefined });
      if (name === "push") state = { ...state, pushedAtMs: nowMs };
    }
    const timerAtMs = timerOf(state[name], nowMs);
    if (timerAtMs === state[name].timerAtMs) continue;
    effects.push(
      timerAtMs === undefined
        ? { kind: "cancel-timer", lane: name }
        : { kind: "set-timer", lane: name, atMs: timerAtMs },
    );
    state = withLane(state, name, { ...state[name], timerAtMs });
  }
  return { state, effects };
}

/** Ends the sync of a namespace: requests and timers are cancelled, nothing is dropped. */
export function halt(state: ActiveState, next: IdleState, effects: readonly Effect[]): Step {
  const cancelled = laneNames.flatMap((lane): readonly Effect[] => [
    ...(state[lane].isBusy ? [{ kind: "cancel", lane } as const] : []),
    ...(state[lane].timerAtMs === undefined ? [] : [{ kind: "cancel-timer", lane } as const]),
  ]);
  return { state: next, effects: [...cancelled, ...effects] };
}

function isReady(state: ActiveState, name: LaneName, nowMs: number): boolean {
  const lane = state[name];
  if (lane.isBusy || lane.dueAtMs === undefined || lane.dueAtMs > nowMs) return false;
  switch (name) {
    case "push":
      return !state.isPushHeld;
    case "pull":
      return !state.heal.isBusy;
    case "heal":
      return !state.pull.isBusy;
  }
}

function timerOf({ isBusy, dueAtMs = 0 }: Lane, nowMs: number): number | undefined {
  return isBusy || dueAtMs <= nowMs ? undefined : dueAtMs;
}

function startOf(state: State & ActiveState, name: LaneName): Effect {
  switch (name) {
    case "push":
      return { kind: "send-push", opsMax: state.batchOps };
    case "pull":
      return { kind: "send-pull" };
    case "heal":
      return { kind: "start-heal" };
  }
}
