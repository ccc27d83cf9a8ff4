import { expect, test } from "vitest";
import { step } from "../machine.ts";
import { syncLimits } from "../sync-limits.ts";
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
  positionMissed,
  pushTaken,
  reports,
  start,
  unequal,
} from "../testing/machine-steps.ts";
import type { Happening } from "./event.ts";

test("[EN2] a lane in flight needs no timer: what is due later is looked at when it ends", () => {
  const changed = feed(start(), [{ kind: "local-change" }]);
  expect(changed.effects).toEqual([]);
  const ended = feed(changed, [nothingToPush]);
  expect(ended.effects).toEqual([{ kind: "set-timer", lane: "push", atMs: at.nowMs + 1_250 }]);
});

test("[EN2] no pull starts beside a heal; it follows when the heal has ended", () => {
  const healing = feed(start(), [nothingToPush, unequal]);
  const poked = feed(healing, [{ kind: "poke" }]);
  expect(poked.effects).toEqual([{ kind: "cancel-timer", lane: "pull" }]);
  expect(kinds(feed(poked, [healed]).effects)).toContain("send-pull");
});

test("[EN2] no heal starts beside a pull; it follows when the pull has ended", () => {
  const demanded = feed(start(), [nothingToPush, { kind: "heal-demanded" }]);
  expect(kinds(demanded.effects)).toEqual(["report"]);
  const failed = feed(demanded, [failedIn("pull")]);
  expect(kinds(failed.effects)).toContain("start-heal");
});

test("[EN2] a push that is held has no timer: what holds it wakes it", () => {
  const forked = feed(start(), [{ kind: "fork", lane: "push", cause: "home-cloned" }]);
  expect(active(forked).push).toMatchObject({ isBusy: false, dueAtMs: at.nowMs });
  expect(active(forked).push.timerAtMs).toBeUndefined();
});

test("[EN2] a timer that fires early starts its lane, one that was taken back starts nothing", () => {
  const early = feed(calm(), [{ kind: "timer", lane: "pull" }]);
  expect(early.effects).toEqual([{ kind: "send-pull" }]);
  const busy = feed(start(), [{ kind: "local-change" }]);
  const stale = feed(busy, [{ kind: "timer", lane: "push" }]);
  expect(stale).toEqual({ state: busy.state, effects: [] });
});

test("[EN4] a one-shot sync pushes a change at once", () => {
  const changed = feed(calm("once"), [{ kind: "local-change" }]);
  expect(kinds(changed.effects)).toEqual(["send-push"]);
});

test.each<readonly [string, Happening]>([
  ["push", pushTaken],
  ["push", positionMissed],
  ["pull", headReached],
  ["pull", unequal],
  ["heal", healed],
  ["pull", { kind: "fork", lane: "pull", cause: "home-cloned" }],
  ["push", { kind: "fork", lane: "push", cause: "home-cloned" }],
  ["heal", failedIn("heal")],
  ["push", failedIn("push", { family: "auth", code: "x" })],
])("a late answer to a %s that is not in flight changes nothing", (_, late) => {
  const { state } = calm();
  expect(feed({ state, effects: [] }, [late])).toEqual({ state, effects: [] });
});

test("[EN19] a stop ends every request and timer without a word", () => {
  const healing = feed(start(), [unequal]);
  const stopped = feed(healing, [{ kind: "stop" }]);
  expect(stopped).toEqual({
    state: { kind: "stopped", mode: "continuous", isStreamHealthy: false },
    effects: [
      { kind: "cancel", lane: "heal" },
      { kind: "cancel-timer", lane: "pull" },
      { kind: "cancel", lane: "push" },
    ],
  });
});

test("[NS11] a namespace is parked with a word, and forgets no stream", () => {
  const streaming = feed(calm(), [{ kind: "stream", isHealthy: true }, headReached]);
  const parked = feed(streaming, [{ kind: "parked" }]);
  expect(reports(parked.effects)).toEqual([{ kind: "parked" }]);
  expect(parked.state).toEqual({ kind: "parked", mode: "continuous", isStreamHealthy: true });
});

test("[EN7] a stream that opens or closes while a namespace rests is known when it goes on", () => {
  const parked = feed(calm(), [{ kind: "parked" }, { kind: "stream", isHealthy: true }]);
  expect(parked.effects).toEqual([]);
  const resumed = feed(parked, [{ kind: "unparked" }, nothingToPush, headReached]);
  expect(active(resumed).pull.dueAtMs).toBe(at.nowMs + syncLimits.pollWithStreamMs);
});

test("[EN5] the server's wish outlasts everything that wants the lane sooner", () => {
  const { state } = feed(start("once"), [failedIn("push", { retryAfterMs: 90_000 })]);
  const changed = step(state, { kind: "local-change", ...at });
  expect(active(changed).push.dueAtMs).toBe(at.nowMs + 90_000);
  expect(changed.effects).toEqual([]);
});
