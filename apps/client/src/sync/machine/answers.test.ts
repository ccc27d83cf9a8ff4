import { limits } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { step } from "../machine.ts";
import { syncLimits } from "../sync-limits.ts";
import {
  active,
  at,
  calm,
  nextWriters,
  failedIn,
  feed,
  headReached,
  healed,
  kinds,
  nothingToPush,
  positionMissed,
  pushTaken,
  refused,
  seventh,
  start,
  unequal,
} from "../testing/machine-steps.ts";
import type { Step } from "./effect.ts";
import type { Happening } from "./event.ts";
import { laneNames } from "./state.ts";

const takenWithMore: Happening = {
  kind: "push-answered",
  outcome: { kind: "taken", hasMore: true },
};

/** Lets a minute pass in which nothing was heard, and the lane's timer fire. */
function afterTimer(from: Step, lane: "push" | "pull"): Step {
  return feed(from, [{ kind: "timer", lane }], at.nowMs + 60_000);
}

test("what was pushed is pulled: only its echo takes it out of the outbox", () => {
  const pushed = feed(start(), [headReached, pushTaken]);
  expect(pushed.effects).toEqual([{ kind: "send-pull" }, { kind: "cancel-timer", lane: "pull" }]);
  expect(active(pushed).heal.dueAtMs).toBeUndefined();
});

test("[EN11] a push goes on at once while there is more; the pull waits for the last of it", () => {
  const pushed = feed(start(), [headReached, takenWithMore]);
  expect(pushed.effects).toEqual([{ kind: "send-push", opsMax: limits.pushOpsMax }]);
  expect(kinds(feed(pushed, [pushTaken]).effects)).toContain("send-pull");
});

test("[EN24] a push that its answer has verified asks for no echo, and goes on while there is more", () => {
  const advanced = (hasMore: boolean): Happening => ({
    kind: "push-answered",
    outcome: { kind: "advanced", hasMore },
  });
  const more = feed(start(), [headReached, advanced(true)]);
  expect(more.effects).toEqual([{ kind: "send-push", opsMax: limits.pushOpsMax }]);
  const last = feed(more, [advanced(false)]);
  expect(last.effects).toEqual([]);
  expect(active(last).push.isBusy).toBe(false);
  expect(active(last).pull.dueAtMs).toBe(active(more).pull.dueAtMs);
});

test("a push whose answer asks for a heal gets one, and is not taken for a miss", () => {
  const pushed = feed(start(), [
    headReached,
    { kind: "push-answered", outcome: { kind: "heal-due", hasMore: false } },
  ]);
  expect(kinds(pushed.effects)).toEqual(["report", "start-heal", "cancel-timer"]);
  expect(active(pushed).positionMisses).toBe(0);
  expect(active(pushed).push.isBusy).toBe(false);
});

test("[PS31] a lost answer that leaves nothing to send is followed by a pull, which verifies it", () => {
  const missed: Happening = {
    kind: "push-answered",
    outcome: { kind: "position", hasMore: false },
  };
  const answered = feed(start(), [headReached, missed]);
  expect(kinds(answered.effects)).toContain("send-pull");
});

test("[PS31] one lost answer is followed by the push at once, a second miss by a backoff", () => {
  const once = feed(start(), [positionMissed]);
  expect(once.effects).toEqual([{ kind: "send-push", opsMax: limits.pushOpsMax }]);
  const twice = feed(once, [positionMissed]);
  expect(active(twice).push.dueAtMs).toBe(at.nowMs + 1_000);
  expect(active(twice).push.notBeforeMs).toBe(at.nowMs + 1_000);
  const apart = feed(once, [pushTaken, { kind: "local-change" }]);
  const missedAgain = feed(feed(apart, [{ kind: "timer", lane: "push" }]), [positionMissed]);
  expect(kinds(missedAgain.effects)).toEqual(["send-push"]);
});

test("[EN8] a push that is too large is halved, down to the one op that is refused", () => {
  const halved = feed(start(), [refused("too-large", 11)]);
  expect(halved.effects).toEqual([{ kind: "send-push", opsMax: 5 }]);
  const single = feed(halved, [refused("too-large", 1)]);
  expect(single.effects).toEqual([
    { kind: "reject-op", op: seventh, code: "too-large" },
    { kind: "report", report: { kind: "op-refused", n: 7, code: "too-large" } },
    { kind: "send-push", opsMax: 5 },
  ]);
});

test("[EN8] two ops are not yet the one at fault", () => {
  const halved = feed(start(), [refused("invalid", 2)]);
  expect(halved.effects).toEqual([{ kind: "send-push", opsMax: 1 }]);
});

test("[EN8] every push that is taken doubles the next one, up to the protocol's limit", () => {
  const most = limits.pushOpsMax * 0.8;
  const halved = feed(start(), [refused("too-large", most)]);
  expect(halved.effects).toEqual([{ kind: "send-push", opsMax: most / 2 }]);
  const doubled = feed(halved, [takenWithMore]);
  expect(doubled.effects).toContainEqual({ kind: "send-push", opsMax: most });
  const whole = feed(doubled, [takenWithMore]);
  expect(whole.effects).toContainEqual({ kind: "send-push", opsMax: limits.pushOpsMax });
});

test("[EN8] the first unreadable op is refused, a second one in a row is kept, with a word", () => {
  const first = feed(start(), [refused("invalid", 1)]);
  expect(kinds(first.effects)).toContain("reject-op");
  const second = feed(first, [refused("invalid", 1, nextWriters)]);
  expect(second.effects).toEqual([
    { kind: "report", report: { kind: "trouble", lane: "push", code: "invalid" } },
    { kind: "set-timer", lane: "push", atMs: at.nowMs + syncLimits.longDelayMs },
  ]);
});

test.each(["invalid", "too-large"] as const)(
  "[EN8] an op that is %s and could not be refused here is refused again, after long",
  (code) => {
    const first = feed(start(), [refused(code, 1)]);
    const again = feed(first, [refused(code, 1)]);
    expect(again.effects).toEqual([
      { kind: "reject-op", op: seventh, code },
      { kind: "set-timer", lane: "push", atMs: at.nowMs + syncLimits.longDelayMs },
    ]);
    const later = at.nowMs + syncLimits.longDelayMs;
    const asked = feed(again, [{ kind: "timer", lane: "push" }], later);
    for (const other of [nextWriters, { ...seventh, n: 8 }]) {
      const { effects } = feed(asked, [refused("too-large", 1, other)], later);
      expect(kinds(effects)).toEqual(["reject-op", "report", "send-push"]);
    }
  },
);

test.each<readonly [string, readonly Happening[]]>([
  [
    "a push that was taken",
    [refused("invalid", 1), takenWithMore, refused("invalid", 1, nextWriters)],
  ],
  [
    "an op too large",
    [refused("invalid", 1), refused("too-large", 1, nextWriters), refused("invalid", 1)],
  ],
  ["no unreadable op", [refused("too-large", 1), refused("invalid", 1, nextWriters)]],
  ["an unreadable op", [refused("invalid", 1), refused("too-large", 1, nextWriters)]],
])("[EN8] after %s an op at fault is refused", (_, happenings) => {
  expect(kinds(feed(start(), happenings).effects)).toContain("reject-op");
});

test("[EN6] after a push or a heal was answered, the next lost connection is spread again", () => {
  for (const answer of [pushTaken, headReached]) {
    const connected = feed(start(), [answer]);
    const lane = answer === pushTaken ? "pull" : "push";
    const lost = feed(connected, [failedIn(lane)]);
    expect(active(lost)[lane].dueAtMs).toBe(at.nowMs + 500 + 30_000);
  }
  const never = feed(start(), [failedIn("pull")]);
  expect(active(never).pull.dueAtMs).toBe(at.nowMs + 500);
  const healing = feed(start(), [unequal, failedIn("push"), healed]);
  expect(active(healing).isConnected).toBe(true);
});

test("[EN7] a pull that could not be asked leaves the next poll and nothing else", () => {
  const asked: Happening = { kind: "pull-answered", outcome: { kind: "nothing" } };
  const idle = feed(start(), [nothingToPush, asked]);
  expect(idle.effects).toEqual([{ kind: "set-timer", lane: "pull", atMs: at.nowMs + 60_000 }]);
  expect(active(idle).isConnected).toBe(false);
  expect(feed(start("once"), [nothingToPush, asked]).effects).toEqual([]);
});

test("[EN7] polls are spread by half to either side", () => {
  for (const [jitter, delayMs] of [
    [0, 30_000],
    [1, 90_000],
  ] as const) {
    const { state } = step(start().state, { ...headReached, nowMs: at.nowMs, jitter });
    expect(active({ state, effects: [] }).pull.dueAtMs).toBe(at.nowMs + delayMs);
  }
});

test("[EN11] a one-shot sync neither polls nor listens: once done it asks for nothing", () => {
  expect(active(calm("once")).pull.dueAtMs).toBeUndefined();
  for (const isHealthy of [true, false]) {
    const told = feed(calm("once"), [{ kind: "stream", isHealthy }]);
    expect(told.effects).toEqual([]);
    expect(active(told).isStreamHealthy).toBe(isHealthy);
  }
});

test("[EN7] a poke stream that closes brings the poll nearer", () => {
  const streaming = feed(calm(), [{ kind: "stream", isHealthy: true }, headReached]);
  const closed = feed(streaming, [{ kind: "stream", isHealthy: false }]);
  expect(closed.effects).toEqual([{ kind: "set-timer", lane: "pull", atMs: at.nowMs + 60_000 }]);
});

test("no heal is judged due before the last page of a pull", () => {
  const page = (hasMore: boolean): Happening => ({
    kind: "pull-answered",
    outcome: { kind: "taken", hasMore, needsHeal: true },
  });
  const first = feed(start(), [nothingToPush, page(true)]);
  expect(first.effects).toEqual([{ kind: "send-pull" }]);
  expect(kinds(feed(first, [page(false)]).effects)).toContain("start-heal");
});

test("[CH4] a fork is told, ends what bears the old writer and begins with a pull", () => {
  const healing = feed(start(), [unequal]);
  const forked = feed(healing, [{ kind: "fork", lane: "push", cause: "home-cloned" }]);
  expect(forked.effects).toEqual([
    { kind: "cancel", lane: "heal" },
    { kind: "report", report: { kind: "fork", cause: "home-cloned" } },
    { kind: "send-pull" },
    { kind: "cancel-timer", lane: "pull" },
  ]);
});

test("[CH4] forks in a row slow down, until digests are equal", () => {
  const fork: Happening = { kind: "fork", lane: "pull", cause: "home-cloned" };
  const second = feed(start(), [fork, fork]);
  expect(active(second).pull.dueAtMs).toBe(at.nowMs + 1_000);
  const cured = feed(afterTimer(second, "pull"), [headReached, healed, headReached]);
  expect(cured.state).toMatchObject({ kind: "running", forks: 0 });
  expect(kinds(feed(cured, [{ kind: "poke" }, fork]).effects)).toContain("send-pull");
});

test("a fork forgets what the old writer had missed", () => {
  const missed = feed(start(), [
    positionMissed,
    { kind: "fork", lane: "push", cause: "server-restored" },
  ]);
  expect(missed.state).toMatchObject({ positionMisses: 0, lamportMisses: 0, heals: 0 });
  for (const lane of laneNames) expect(active(missed)[lane].isBusy).toBe(lane === "pull");
});
