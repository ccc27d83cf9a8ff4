import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startMachine, step } from "./machine.ts";
import type { Effect, Step } from "./machine/effect.ts";
import type { Happening, MachineEvent } from "./machine/event.ts";
import type { LaneName } from "./machine/lane.ts";
import { isActive, type Mode, type State } from "./machine/state.ts";
import { syncLimits } from "./sync-limits.ts";
import {
  active,
  at,
  calm,
  failedIn,
  feed,
  headReached,
  healed,
  kinds,
  nothingToPush,
  seventh,
  start,
  unequal,
} from "./testing/machine-steps.ts";
import type { Failure } from "./transport.ts";

test("[EN1] uploads and downloads start together and neither waits for the other", () => {
  const { effects, state } = start();
  expect(kinds(effects)).toEqual(["send-pull", "send-push"]);
  const pushed = feed({ state, effects }, [nothingToPush, { kind: "local-change" }]);
  expect(active(pushed).push.dueAtMs).toBe(at.nowMs + 1_250);
  expect(active(pushed).pull.isBusy).toBe(true);
});

test("[EN3] one push is in flight per writer, whatever changes meanwhile", () => {
  const changed = feed(start(), [{ kind: "local-change" }, { kind: "local-change" }]);
  expect(kinds(changed.effects)).not.toContain("send-push");
  expect(active(changed).push.isBusy).toBe(true);
});

test("[EN4] local changes wait half a second to two, and more of them do not postpone the push", () => {
  const first = feed(calm(), [{ kind: "local-change" }]);
  const later = feed(first, [{ kind: "local-change" }], at.nowMs + 400);
  expect(active(later).push.dueAtMs).toBe(active(first).push.dueAtMs);
  for (const jitter of [0, 1]) {
    const { state } = step(calm().state, { kind: "local-change", nowMs: at.nowMs, jitter });
    const delayMs = (active({ state, effects: [] }).push.dueAtMs ?? 0) - at.nowMs;
    expect(delayMs).toBe(jitter === 0 ? 500 : 2_000);
  }
});

test("[EN4] the first change after a silence is pushed at once", () => {
  const silent = feed(calm(), [{ kind: "local-change" }], at.nowMs + 2_000);
  expect(kinds(silent.effects)).toContain("send-push");
  const early = feed(calm(), [{ kind: "local-change" }], at.nowMs + 1_999);
  expect(kinds(early.effects)).not.toContain("send-push");
});

test("[EN5] a failed push waits a drawn backoff, and the server's minimum is honoured", () => {
  const once = start("once");
  const failed = feed(once, [failedIn("push")]);
  expect(active(failed).push.dueAtMs).toBe(at.nowMs + 500);
  const asked = feed(once, [failedIn("push", { retryAfterMs: 90_000 })]);
  expect(active(asked).push.dueAtMs).toBe(at.nowMs + 90_000);
});

test("[EN5] the backoff starts anew only after a minute of success", () => {
  const failedTwice = [1, 2].reduce<Step>((from) => {
    const failed = feed(from, [failedIn("pull")]);
    return feed(failed, [{ kind: "timer", lane: "pull" }]);
  }, start("once"));
  expect(active(failedTwice).pull.failures).toBe(2);
  const soon = feed(failedTwice, [headReached]);
  expect(active(soon).pull.failures).toBe(2);
  const later = feed(feed(soon, [{ kind: "poke" }]), [headReached], at.nowMs + 60_000);
  expect(active(later).pull.failures).toBe(0);
});

test("[EN6] the first reconnect after a lost connection is spread over a minute more", () => {
  const lost = feed(feed(calm(), [{ kind: "poke" }]), [failedIn("pull")]);
  expect(active(lost).pull.dueAtMs).toBe(at.nowMs + 500 + 30_000);
  const again = feed(lost, [{ kind: "timer", lane: "pull" }, failedIn("pull")]);
  expect(active(again).pull.dueAtMs).toBe(at.nowMs + 1_000);
});

test("[EN7] polls come a minute apart, and five minutes apart beside a healthy stream", () => {
  expect(active(calm()).pull.dueAtMs).toBe(at.nowMs + 60_000);
  const streaming = feed(calm(), [{ kind: "stream", isHealthy: true }]);
  expect(kinds(streaming.effects)).toContain("send-pull");
  expect(active(feed(streaming, [headReached])).pull.dueAtMs).toBe(at.nowMs + 300_000);
});

test("[CH4] after a fork nothing is pushed until pull and heal have run", () => {
  const forked = feed(calm(), [
    { kind: "poke" },
    { kind: "fork", lane: "pull", cause: "home-cloned" },
  ]);
  expect(forked.state.kind).toBe("forked");
  expect(kinds(forked.effects)).toContain("send-pull");
  expect(kinds(forked.effects)).not.toContain("send-push");
  const pulled = feed(forked, [{ kind: "local-change" }, headReached]);
  expect(kinds(pulled.effects)).toContain("start-heal");
  expect(kinds(pulled.effects)).not.toContain("send-push");
  const done = feed(pulled, [healed]);
  expect(kinds(done.effects)).toEqual(expect.arrayContaining(["send-push", "send-pull"]));
  expect(done.state.kind).toBe("running");
});

test("[CH4] a push in flight when a pull shows the fork is cancelled: it bears the old writer", () => {
  const { effects } = feed(start(), [{ kind: "fork", lane: "pull", cause: "home-restored" }]);
  expect(effects).toContainEqual({ kind: "cancel", lane: "push" });
});

test("[HL30] heals that do not make the digests equal end in a long rest, with a word", () => {
  let stepped = feed(start(), [nothingToPush]);
  for (let heals = 0; heals < syncLimits.healsMax; heals += 1) {
    stepped = feed(stepped, [unequal, { kind: "timer", lane: "heal" }]);
    expect(active(stepped).heal.isBusy).toBe(true);
    stepped = feed(stepped, [healed, nothingToPush]);
  }
  const resting = feed(stepped, [unequal]);
  expect(resting.state.kind).toBe("needs-attention");
  expect(resting.effects).toContainEqual({
    kind: "report",
    report: { kind: "needs-attention", heals: syncLimits.healsMax },
  });
  expect(active(resting).heal.dueAtMs).toBe(at.nowMs + syncLimits.healRestMs);
  expect(active(resting).pull.dueAtMs).toBe(at.nowMs + syncLimits.pollMs);
});

test("[HL30] equal digests end the rest and count heals anew", () => {
  const resting = feed(start(), [nothingToPush, unequal, { kind: "heal-answered", left: 3 }]);
  expect(resting.state.kind).toBe("needs-attention");
  const well = feed(resting, [headReached]);
  expect(well.state.kind).toBe("running");
  expect(active(well).heals).toBe(0);
});

test("[NS11] a parked namespace is silent until hello lists it again", () => {
  const parked = feed(calm(), [{ kind: "parked" }]);
  expect(kinds(parked.effects)).toEqual(["cancel-timer", "report"]);
  expect(kinds(feed(parked, [{ kind: "local-change" }, { kind: "poke" }]).effects)).toEqual([]);
  expect(kinds(feed(parked, [{ kind: "unparked" }]).effects)).toEqual(["send-pull", "send-push"]);
});

/** What each event does in each state: the state that follows, where it is another one. */
const table: Record<State["kind"], Record<MachineEvent["kind"], State["kind"] | "same">> = {
  running: {
    "local-change": "same",
    poke: "same",
    stream: "same",
    timer: "same",
    "push-answered": "same",
    "pull-answered": "same",
    "heal-answered": "same",
    "heal-demanded": "same",
    fork: "forked",
    failed: "needs-login",
    parked: "parked",
    unparked: "same",
    stop: "stopped",
  },
  forked: {
    "local-change": "same",
    poke: "same",
    stream: "same",
    timer: "same",
    "push-answered": "same",
    "pull-answered": "same",
    "heal-answered": "running",
    "heal-demanded": "same",
    fork: "same",
    failed: "needs-login",
    parked: "parked",
    unparked: "same",
    stop: "stopped",
  },
  "needs-attention": {
    "local-change": "same",
    poke: "same",
    stream: "same",
    timer: "same",
    "push-answered": "same",
    "pull-answered": "running",
    "heal-answered": "same",
    "heal-demanded": "same",
    fork: "forked",
    failed: "needs-login",
    parked: "parked",
    unparked: "same",
    stop: "stopped",
  },
  "needs-login": {
    "local-change": "same",
    poke: "same",
    stream: "same",
    timer: "running",
    "push-answered": "same",
    "pull-answered": "same",
    "heal-answered": "same",
    "heal-demanded": "same",
    fork: "same",
    failed: "same",
    parked: "parked",
    unparked: "running",
    stop: "stopped",
  },
  "needs-upgrade": {
    "local-change": "same",
    poke: "same",
    stream: "same",
    timer: "same",
    "push-answered": "same",
    "pull-answered": "same",
    "heal-answered": "same",
    "heal-demanded": "same",
    fork: "same",
    failed: "same",
    parked: "parked",
    unparked: "running",
    stop: "stopped",
  },
  parked: {
    "local-change": "same",
    poke: "same",
    stream: "same",
    timer: "same",
    "push-answered": "same",
    "pull-answered": "same",
    "heal-answered": "same",
    "heal-demanded": "same",
    fork: "same",
    failed: "same",
    parked: "same",
    unparked: "running",
    stop: "stopped",
  },
  stopped: {
    "local-change": "same",
    poke: "same",
    stream: "same",
    timer: "same",
    "push-answered": "same",
    "pull-answered": "same",
    "heal-answered": "same",
    "heal-demanded": "same",
    fork: "same",
    failed: "same",
    parked: "same",
    unparked: "same",
    stop: "same",
  },
};

const sample: Record<MachineEvent["kind"], Happening> = {
  "local-change": { kind: "local-change" },
  poke: { kind: "poke" },
  stream: { kind: "stream", isHealthy: true },
  timer: { kind: "timer", lane: "pull" },
  "push-answered": nothingToPush,
  "pull-answered": headReached,
  "heal-answered": healed,
  "heal-demanded": { kind: "heal-demanded" },
  fork: { kind: "fork", lane: "pull", cause: "server-restored" },
  failed: { kind: "failed", lane: "pull", failure: { family: "auth", code: "x", title: "" } },
  parked: { kind: "parked" },
  unparked: { kind: "unparked" },
  stop: { kind: "stop" },
};

/** One state of each kind; in the active ones every lane has a request in flight. */
function stateOf(kind: State["kind"]): State {
  const { state } = start();
  const standing = { mode: "continuous", isStreamHealthy: false } as const;
  switch (kind) {
    case "running":
    case "forked":
    case "needs-attention": {
      const base = active({ state, effects: [] });
      return { ...base, kind, heal: { ...base.heal, isBusy: true } };
    }
    case "needs-login":
      return { kind, ...standing, code: "invalid-token" };
    case "needs-upgrade":
      return { kind, ...standing, side: "client" };
    case "parked":
    case "stopped":
      return { kind, ...standing };
  }
}

describe("[EN15] every event has an answer in every state", () => {
  for (const [kind, row] of Object.entries(table) as [State["kind"], (typeof table)["parked"]][]) {
    for (const [event, next] of Object.entries(row) as [Happening["kind"], string][]) {
      test(`${kind} · ${event} -> ${next}`, () => {
        const { state } = step(stateOf(kind), { ...sample[event], ...at });
        expect(state.kind).toBe(next === "same" ? kind : next);
      });
    }
  }
});

/** Plays a world around the machine: requests that are answered somehow, timers that fire. */
class World {
  nowMs = at.nowMs;
  state: State;
  readonly inFlight = new Set<LaneName>();
  readonly timers = new Map<LaneName, number>();
  readonly healsAtMs: number[] = [];
  isPushAllowed = true;

  constructor(mode: Mode, jitter: number) {
    const started = startMachine({ mode, isStreamHealthy: false }, { nowMs: this.nowMs, jitter });
    this.state = started.state;
    this.#run(started.effects);
  }

  tell(happening: Happening, jitter: number): void {
    if (happening.kind === "timer") this.timers.delete(happening.lane);
    const lane = answeredLane(happening);
    if (lane !== undefined) this.inFlight.delete(lane);
    const stepped = step(this.state, { ...happening, nowMs: this.nowMs, jitter });
    this.state = stepped.state;
    this.#run(stepped.effects);
    this.#check();
  }

  #run(effects: readonly Effect[]): void {
    for (const effect of effects) {
      switch (effect.kind) {
        case "send-push":
          this.#begin("push");
          break;
        case "send-pull":
          this.#begin("pull");
          break;
        case "start-heal":
          this.#begin("heal");
          this.healsAtMs.push(this.nowMs);
          break;
        case "cancel":
          expect(this.inFlight.delete(effect.lane)).toBe(true);
          break;
        case "set-timer":
          expect(effect.atMs).toBeGreaterThanOrEqual(this.nowMs);
          this.timers.set(effect.lane, effect.atMs);
          break;
        case "cancel-timer":
          this.timers.delete(effect.lane);
          break;
        default:
      }
    }
  }

  #begin(lane: LaneName): void {
    expect(this.inFlight.has(lane), `two ${lane} requests in flight`).toBe(false);
    this.inFlight.add(lane);
    if (lane === "push") expect(this.state.kind).not.toBe("forked");
  }

  #check(): void {
    if (!isActive(this.state)) {
      expect(this.inFlight.size).toBe(0);
      expect([...this.timers.keys()]).toEqual(
        this.state.kind === "needs-login" && this.state.mode === "continuous" ? ["pull"] : [],
      );
      return;
    }
    const { push, pull, heal, mode } = this.state;
    for (const lane of [push, pull, heal]) {
      const waitMs = (lane.dueAtMs ?? 0) - this.nowMs;
      expect(waitMs).toBeLessThanOrEqual(longestWaitMs);
    }
    // Never idle while work is due: something is in flight or a timer will wake the machine.
    const isDue = [push, pull, heal].some((lane) => lane.dueAtMs !== undefined);
    if (isDue || mode === "continuous") {
      expect(this.inFlight.size + this.timers.size).toBeGreaterThan(0);
    }
    // A held push comes free by a pull or a heal, so one of them has to be on its way.
    if (this.state.isPushHeld) {
      const isCuring = [pull, heal].some((lane) => lane.isBusy || lane.dueAtMs !== undefined);
      expect(isCuring).toBe(true);
    }
  }
}

const longestWaitMs = Math.max(
  syncLimits.retryAfterMsMax + syncLimits.reconnectSpreadMs,
  syncLimits.healRestMs * 1.5,
);

function answeredLane(happening: Happening): LaneName | undefined {
  switch (happening.kind) {
    case "push-answered":
      return "push";
    case "pull-answered":
      return "pull";
    case "heal-answered":
      return "heal";
    case "fork":
    case "failed":
      return happening.lane;
    default:
      return undefined;
  }
}

const failureArbitrary: fc.Arbitrary<Failure> = fc.record({
  family: fc.constantFrom("retry", "retry", "retry", "auth", "reject", "heal", "upgrade", "bug"),
  code: fc.constantFrom("unreachable", "lamport-too-far", "history", "not-found", "other"),
  title: fc.constant(""),
  retryAfterMs: fc.option(fc.nat(10 ** 9), { nil: undefined }),
});

const pushArbitrary: fc.Arbitrary<Happening> = fc.oneof(
  fc.constant(nothingToPush),
  fc
    .record({ hasMore: fc.boolean(), kind: fc.constantFrom("taken", "heal-due") })
    .map((outcome): Happening => ({ kind: "push-answered", outcome })),
  fc.boolean().map<Happening>((hasMore) => ({
    kind: "push-answered",
    outcome: { kind: "position", hasMore },
  })),
  fc
    .record({ ops: fc.integer({ min: 1, max: 9 }), isLarge: fc.boolean() })
    .map(({ ops, isLarge }): Happening => ({
      kind: "push-answered",
      outcome: { kind: "refused", code: isLarge ? "too-large" : "invalid", ops, first: seventh },
    })),
  failureArbitrary.map((failure): Happening => ({ kind: "failed", lane: "push", failure })),
  fc.constant<Happening>({ kind: "fork", lane: "push", cause: "home-cloned" }),
);

const pullArbitrary: fc.Arbitrary<Happening> = fc.oneof(
  fc.constant(headReached),
  fc.constant(unequal),
  fc.record({ hasMore: fc.boolean(), needsHeal: fc.boolean() }).map((outcome): Happening => ({
    kind: "pull-answered",
    outcome: { kind: "taken", ...outcome },
  })),
  failureArbitrary.map((failure): Happening => ({ kind: "failed", lane: "pull", failure })),
  fc.constant<Happening>({ kind: "fork", lane: "pull", cause: "server-restored" }),
);

const healArbitrary: fc.Arbitrary<Happening> = fc.oneof(
  fc.constant(healed),
  fc.nat(3).map((left): Happening => ({ kind: "heal-answered", left })),
  failureArbitrary.map((failure): Happening => ({ kind: "failed", lane: "heal", failure })),
);

const outsideArbitrary: fc.Arbitrary<Happening> = fc.constantFrom<Happening[]>(
  { kind: "local-change" },
  { kind: "local-change" },
  { kind: "poke" },
  { kind: "stream", isHealthy: true },
  { kind: "stream", isHealthy: false },
  { kind: "heal-demanded" },
  { kind: "parked" },
  { kind: "unparked" },
  { kind: "unparked" },
);

interface Draw {
  readonly choice: number;
  readonly jitter: number;
  readonly push: Happening;
  readonly pull: Happening;
  readonly heal: Happening;
  readonly outside: Happening;
}

const drawArbitrary: fc.Arbitrary<Draw> = fc.record({
  choice: fc.nat(11),
  jitter: fc.double({ min: 0, max: 1, noNaN: true }),
  push: pushArbitrary,
  pull: pullArbitrary,
  heal: healArbitrary,
  outside: outsideArbitrary,
});

/** What may happen next: an answer to what is in flight, the nearest timer, or something outside. */
function next(world: World, draw: Draw): Happening {
  const lanes = [...world.inFlight];
  const lane = lanes[draw.choice % Math.max(1, lanes.length)];
  if (draw.choice < 8 && lane !== undefined) return draw[lane];
  const [timer] = [...world.timers].toSorted(([, left], [, right]) => left - right);
  if (draw.choice < 10 && timer !== undefined) {
    world.nowMs = Math.max(world.nowMs, timer[1]);
    return { kind: "timer", lane: timer[0] };
  }
  world.nowMs += 100;
  return draw.outside;
}

test("[EN2] whatever happens: one request a lane, bounded waits, never idle while work is due", () => {
  fc.assert(
    fc.property(
      fc.constantFrom<Mode[]>("continuous", "once"),
      fc.array(drawArbitrary, { maxLength: 120 }),
      (mode, draws) => {
        const world = new World(mode, 0.5);
        for (const draw of draws) world.tell(next(world, draw), draw.jitter);
      },
    ),
    { numRuns: 500, seed: 20_251_121 },
  );
});

test("[HL30] without equal digests heals are rare, never a loop", () => {
  fc.assert(
    fc.property(fc.array(drawArbitrary, { minLength: 200, maxLength: 400 }), (draws) => {
      const world = new World("continuous", 0.5);
      for (const draw of draws) {
        world.tell(diverged(next(world, draw)), draw.jitter);
      }
      const spanMs = world.nowMs - at.nowMs;
      const rests = spanMs / (syncLimits.healRestMs / 2);
      expect(world.healsAtMs.length).toBeLessThanOrEqual(syncLimits.healsMax + 1 + rests);
    }),
    { numRuns: 40, seed: 20_251_121, endOnFailure: true },
  );
});

/** The same happening in a world where digests never become equal and the network works. */
function diverged(happening: Happening): Happening {
  const lane = answeredLane(happening);
  if (lane === "push") return nothingToPush;
  if (lane === "pull") return unequal;
  if (lane === "heal") return healed;
  const isStanding = happening.kind === "parked" || happening.kind === "unparked";
  return isStanding ? { kind: "poke" } : happening;
}
