import { limits } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { syncLimits } from "../sync-limits.ts";
import {
  active,
  at,
  failedIn,
  feed,
  headReached,
  healed,
  kinds,
  nothingToPush,
  reports,
  start,
  unequal,
} from "../testing/machine-steps.ts";
import type { Step } from "./effect.ts";

/** Unequal digests, a heal, and unequal digests again. */
function healedOnce(): Step {
  return feed(start(), [nothingToPush, unequal, healed, nothingToPush]);
}

/** As many heals as are tried in a row, each without avail. */
function healedInVain(mode: "continuous" | "once" = "continuous"): Step {
  let stepped = feed(start(mode), [nothingToPush]);
  for (let heals = 0; heals < syncLimits.healsMax; heals += 1) {
    stepped = feed(stepped, [unequal, { kind: "timer", lane: "heal" }, healed, nothingToPush]);
  }
  return stepped;
}

test("[HL30] the first heal begins at once, the next ones with growing delays; each is told", () => {
  const first = feed(start(), [nothingToPush, unequal]);
  expect(first.effects).toEqual([
    { kind: "report", report: { kind: "heal-started", heals: 1 } },
    { kind: "start-heal" },
    { kind: "set-timer", lane: "pull", atMs: at.nowMs + syncLimits.pollMs },
  ]);
  const second = feed(healedOnce(), [unequal]);
  expect(reports(second.effects)).toEqual([{ kind: "heal-started", heals: 2 }]);
  expect(active(second).heal.dueAtMs).toBe(at.nowMs + 500);
  const third = feed(second, [{ kind: "timer", lane: "heal" }, healed, nothingToPush, unequal]);
  expect(active(third).heal.dueAtMs).toBe(at.nowMs + 1_000);
});

test("[HL30] a heal that is due already is neither moved nor told again", () => {
  const due = feed(healedOnce(), [unequal]);
  const demanded = feed(due, [{ kind: "heal-demanded" }]);
  expect(demanded).toEqual({ state: due.state, effects: [] });
});

test("[HL30] heals that were in vain are told to a person once, then rest", () => {
  const resting = feed(healedInVain(), [unequal]);
  expect(reports(resting.effects)).toEqual([
    { kind: "needs-attention", heals: syncLimits.healsMax },
  ]);
  expect(active(resting).heal.dueAtMs).toBe(at.nowMs + syncLimits.healRestMs);
  const later = feed(
    resting,
    [{ kind: "timer", lane: "heal" }, healed, nothingToPush, unequal],
    at.nowMs + syncLimits.healRestMs,
  );
  expect(later.state.kind).toBe("needs-attention");
  expect(later.effects).toEqual([
    { kind: "set-timer", lane: "heal", atMs: at.nowMs + 2 * syncLimits.healRestMs },
    {
      kind: "set-timer",
      lane: "pull",
      atMs: at.nowMs + syncLimits.healRestMs + syncLimits.pollMs,
    },
  ]);
  expect(active(later).heal.dueAtMs).toBe(at.nowMs + 2 * syncLimits.healRestMs);
});

test("[EN11] a one-shot sync does not sit out the rest of a heal", () => {
  const spent = feed(healedInVain("once"), [unequal]);
  expect(spent.state.kind).toBe("needs-attention");
  expect(active(spent).heal.dueAtMs).toBeUndefined();
});

test("[HL28] what a heal could not make equal is told, and pull and push follow all the same", () => {
  const left = feed(start(), [nothingToPush, unequal, { kind: "heal-answered", left: 2 }]);
  expect(left.state.kind).toBe("needs-attention");
  expect(left.effects).toEqual([
    { kind: "report", report: { kind: "heal-left", left: 2 } },
    { kind: "set-timer", lane: "heal", atMs: at.nowMs + syncLimits.healRestMs },
    { kind: "send-pull" },
    { kind: "cancel-timer", lane: "pull" },
    { kind: "send-push", opsMax: limits.pushOpsMax },
  ]);
});

test("a heal that made all equal is followed by a pull to compare and the push that waited", () => {
  const done = feed(start(), [nothingToPush, unequal, healed]);
  expect(done.state.kind).toBe("running");
  expect(kinds(done.effects)).toEqual(["send-pull", "cancel-timer", "send-push"]);
});

test("[EN6] a heal that was answered counts as a connection", () => {
  const lost = feed(start(), [failedIn("push"), unequal, failedIn("heal"), headReached]);
  expect(active(lost).isConnected).toBe(false);
  const healing = feed(start(), [nothingToPush, unequal, failedIn("heal")]);
  const again = feed(healing, [{ kind: "timer", lane: "heal" }, healed, failedIn("push")]);
  expect(active(again).push.dueAtMs).toBe(at.nowMs + 500 + syncLimits.reconnectSpreadMs / 2);
});

test("[CH4] the heal of a fork is part of its cure: the fork was told, the heal is not", () => {
  const pulled = feed(start(), [
    { kind: "fork", lane: "push", cause: "server-restored" },
    headReached,
  ]);
  expect(pulled.effects).toEqual([
    { kind: "start-heal" },
    { kind: "set-timer", lane: "pull", atMs: at.nowMs + syncLimits.pollMs },
  ]);
});

test("[HL30] equal digests take back a heal that waits", () => {
  const due = feed(healedOnce(), [unequal, { kind: "poke" }]);
  const well = feed(due, [headReached]);
  expect(active(well)).toMatchObject({ kind: "running", heals: 0 });
  expect(active(well).heal.dueAtMs).toBeUndefined();
  expect(well.effects).toContainEqual({ kind: "cancel-timer", lane: "heal" });
});
