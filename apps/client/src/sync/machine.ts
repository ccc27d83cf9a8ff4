/**
 * The sync of one namespace as a pure machine: what happened goes in, the new state and what to do
 * about it come out. Time and chance arrive inside the event, so every run can be replayed.
 */
import { forked, pullAnswered, pushAnswered, streamChanged } from "./machine/answers.ts";
import { quietStep, type Step } from "./machine/effect.ts";
import type { MachineEvent, Moment } from "./machine/event.ts";
import { failed } from "./machine/failures.ts";
import { heal, healAnswered } from "./machine/heals.ts";
import { want, type LaneName } from "./machine/lane.ts";
import { halt, settle } from "./machine/settle.ts";
import {
  freshLanes,
  isActive,
  withLane,
  type ActiveState,
  type IdleState,
  type Standing,
  type State,
} from "./machine/state.ts";
import { syncLimits } from "./sync-limits.ts";

/** Starts to sync a namespace: pull and push at once, neither waits for the other (EN1). */
export function startMachine(standing: Standing, at: Moment): Step {
  const lanes = freshLanes(standing);
  const state: ActiveState = {
    ...lanes,
    kind: "running",
    pull: want(lanes.pull, at.nowMs),
    push: want(lanes.push, at.nowMs),
  };
  return settle(quietStep(state), at.nowMs);
}

/** The one transition function. Total: every state has an answer to every event. */
export function step(state: State, event: MachineEvent): Step {
  if (!isActive(state)) return stepIdle(state, event);
  return settle(stepActive(state, event), event.nowMs);
}

function stepIdle(state: IdleState, event: MachineEvent): Step {
  if (state.kind === "stopped") return quietStep(state);
  const { mode, isStreamHealthy } = state;
  switch (event.kind) {
    case "stop":
      return withoutTimer(state, { kind: "stopped", mode, isStreamHealthy });
    case "parked":
      return withoutTimer(state, { kind: "parked", mode, isStreamHealthy });
    case "unparked": {
      const started = startMachine(state, event);
      return { ...started, effects: [...timerCancel(state), ...started.effects] };
    }
    case "timer":
      return state.kind === "needs-login" ? startMachine(state, event) : quietStep(state);
    case "stream":
      return quietStep({ ...state, isStreamHealthy: event.isHealthy });
    default:
      return quietStep(state);
  }
}

function withoutTimer(state: IdleState, next: IdleState): Step {
  return { state: next, effects: timerCancel(state) };
}

function timerCancel(state: IdleState): Step["effects"] {
  const hasTimer = state.kind === "needs-login" && state.mode === "continuous";
  return hasTimer ? [{ kind: "cancel-timer", lane: "pull" }] : [];
}

function stepActive(state: ActiveState, event: MachineEvent): Step {
  switch (event.kind) {
    case "local-change":
      return quietStep(
        withLane(state, "push", want(state.push, event.nowMs + gatherMs(event, state))),
      );
    case "poke":
      return quietStep(withLane(state, "pull", want(state.pull, event.nowMs)));
    case "stream":
      return quietStep(streamChanged(state, event, event.isHealthy));
    case "timer":
      return quietStep(timerFired(state, event.lane, event.nowMs));
    case "heal-demanded":
      return heal(state, event);
    case "parked":
    case "unparked":
    case "stop":
      return stepStanding(state, event.kind);
    default:
      return stepAnswer(state, event);
  }
}

type Answered = Extract<
  MachineEvent,
  { kind: "push-answered" | "pull-answered" | "heal-answered" | "fork" | "failed" }
>;

/** An answer to a lane that has nothing in flight is a late one: nothing follows from it. */
function stepAnswer(state: ActiveState, event: Answered): Step {
  if (!state[laneOf(event)].isBusy) return quietStep(state);
  switch (event.kind) {
    case "push-answered":
      return pushAnswered(state, event, event.outcome);
    case "pull-answered":
      return pullAnswered(state, event, event.outcome);
    case "heal-answered":
      return healAnswered(state, event, event.left);
    case "fork": {
      const { cause, lane } = event;
      return forked(state, event, { kind: "report", report: { kind: "fork", cause } }, lane);
    }
    case "failed":
      return failed(state, event, event.lane, event.failure);
  }
}

function laneOf(event: Answered): LaneName {
  switch (event.kind) {
    case "push-answered":
      return "push";
    case "pull-answered":
      return "pull";
    case "heal-answered":
      return "heal";
    case "fork":
    case "failed":
      return event.lane;
  }
}

function stepStanding(state: ActiveState, kind: "parked" | "unparked" | "stop"): Step {
  const { mode, isStreamHealthy } = state;
  switch (kind) {
    case "parked":
      return halt(state, { kind, mode, isStreamHealthy }, [{ kind: "report", report: { kind } }]);
    case "stop":
      return halt(state, { kind: "stopped", mode, isStreamHealthy }, []);
    case "unparked":
      return quietStep(state);
  }
}

function timerFired(state: ActiveState, name: LaneName, nowMs: number): ActiveState {
  const lane = state[name];
  if (lane.timerAtMs === undefined) return state;
  // A lane whose timer is set is due then; a timer that fires early starts it all the same.
  const dueAtMs = Math.min(lane.timerAtMs, nowMs);
  return withLane(state, name, { ...lane, timerAtMs: undefined, dueAtMs });
}

/** The first change after a silence leaves at once; those that follow it travel together (EN4). */
function gatherMs(at: Moment, { mode, pushedAtMs }: ActiveState): number {
  const { pushGatherMsMin, pushGatherMsMax } = syncLimits;
  const isSilent = pushedAtMs === undefined || at.nowMs - pushedAtMs >= pushGatherMsMax;
  if (mode === "once" || isSilent) return 0;
  return pushGatherMsMin + at.jitter * (pushGatherMsMax - pushGatherMsMin);
}
