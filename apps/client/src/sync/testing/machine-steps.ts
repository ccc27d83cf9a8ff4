import type { WriterId } from "@tidemark/protocol";
import type { SentOp } from "../../store/replica-store.ts";
import { startMachine, step } from "../machine.ts";
import type { Effect, Report, Step } from "../machine/effect.ts";
import type { Happening, Moment } from "../machine/event.ts";
import { isActive, type ActiveState, type Mode } from "../machine/state.ts";
import type { Failure } from "../transport.ts";

/** The moment at which everything happens, unless a test says otherwise; the middle of all chance. */
export const at: Moment = { nowMs: 1_000_000, jitter: 0.5 };

/** Starts a namespace: a pull and a push are in flight. */
export function start(mode: Mode = "continuous"): Step {
  return startMachine({ mode, isStreamHealthy: false }, at);
}

/** Feeds happenings one after the other, all at one moment; gives the last step. */
export function feed(from: Step, happenings: readonly Happening[], nowMs = at.nowMs): Step {
  return happenings.reduce<Step>(
    ({ state }, happening) => step(state, { ...happening, nowMs, jitter: at.jitter }),
    from,
  );
}

/** A namespace in which nothing is going on but the poll's timer. */
export function calm(mode: Mode = "continuous"): Step {
  return feed(start(mode), [nothingToPush, headReached]);
}

/** The state of a namespace that has to be in sync by now. */
export function active({ state }: Step): ActiveState {
  if (!isActive(state)) throw new Error(`not active: ${state.kind}`);
  return state;
}

/** What is asked for, in short. */
export function kinds(effects: readonly Effect[]): readonly string[] {
  return effects.map((effect) => effect.kind);
}

/** What a person is told. */
export function reports(effects: readonly Effect[]): readonly Report[] {
  return effects.flatMap((effect) => (effect.kind === "report" ? [effect.report] : []));
}

export const nothingToPush: Happening = { kind: "push-answered", outcome: { kind: "nothing" } };
export const pushTaken: Happening = {
  kind: "push-answered",
  outcome: { kind: "taken", hasMore: false },
};
export const positionMissed: Happening = {
  kind: "push-answered",
  outcome: { kind: "position", hasMore: true },
};
export const headReached: Happening = {
  kind: "pull-answered",
  outcome: { kind: "taken", hasMore: false, needsHeal: false },
};
export const unequal: Happening = { kind: "pull-answered", outcome: { kind: "heal-due" } };
export const healed: Happening = { kind: "heal-answered", left: 0 };
export const unreachable: Failure = { family: "retry", code: "unreachable", title: "" };

/** The first op of {@link refused}. */
export const seventh: SentOp = { writer: "w" as WriterId, n: 7 };

/** Another op of that number: once one was refused here, those behind it are another writer's. */
export const nextWriters: SentOp = { writer: "v" as WriterId, n: 7 };

/** A push that the server could not take as a whole. */
export function refused(
  code: "too-large" | "invalid",
  ops: number,
  first: SentOp = seventh,
): Happening {
  return { kind: "push-answered", outcome: { kind: "refused", code, ops, first } };
}

/** A request that failed. */
export function failedIn(lane: "push" | "pull" | "heal", change: Partial<Failure> = {}): Happening {
  return { kind: "failed", lane, failure: { ...unreachable, ...change } };
}
