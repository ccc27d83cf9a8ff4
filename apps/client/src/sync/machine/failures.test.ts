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
  pushTaken,
  reports,
  start,
  unequal,
} from "../testing/machine-steps.ts";

const tooFar = failedIn("push", { family: "heal", code: "lamport-too-far" });
const history = failedIn("push", { family: "heal", code: "history" });

test("[WR30] what passes is tried again without a word", () => {
  const failed = feed(start("once"), [failedIn("push")]);
  expect(failed.effects).toEqual([{ kind: "set-timer", lane: "push", atMs: at.nowMs + 500 }]);
});

test("[EN6] a one-shot sync does not spread its return", () => {
  const lost = feed(start("once"), [pushTaken, failedIn("pull")]);
  expect(active(lost).pull.dueAtMs).toBe(at.nowMs + 500);
});

test("[EN5, EN23] after a failure nothing hastens the next request", () => {
  const waiting = feed(start("once"), [failedIn("pull", { retryAfterMs: 90_000 })]);
  const poked = feed(waiting, [{ kind: "poke" }]);
  expect(active(poked).pull.dueAtMs).toBe(at.nowMs + 90_000);
});

test("[EN9] an unknown refusal is tried again after long, reported, and drops nothing", () => {
  const failed = feed(start(), [failedIn("push", { family: "reject", code: "http-418" })]);
  expect(failed.effects).toEqual([
    { kind: "report", report: { kind: "trouble", lane: "push", code: "http-418" } },
    { kind: "set-timer", lane: "push", atMs: at.nowMs + syncLimits.longDelayMs },
  ]);
});

test("[EN9, WR37] the server may ask for a longer delay than the long one, up to an hour", () => {
  const wanted = (retryAfterMs: number): number | undefined => {
    const failure = { family: "bug", code: "internal", retryAfterMs } as const;
    return active(feed(start(), [failedIn("push", failure)])).push.dueAtMs;
  };
  expect(wanted(1)).toBe(at.nowMs + syncLimits.longDelayMs);
  expect(wanted(2_000_000)).toBe(at.nowMs + 2_000_000);
  expect(wanted(10 ** 9)).toBe(at.nowMs + syncLimits.retryAfterMsMax);
});

test.each(["not-found", "forbidden"])("[NS11] %s has hello asked about the namespace", (code) => {
  const denied = feed(start(), [failedIn("pull", { family: "reject", code })]);
  expect(kinds(denied.effects)).toContain("ask-hello");
});

test("[AU51] a refused login keeps everything, stops the requests and is tried again after long", () => {
  const failed = feed(start(), [failedIn("push", { family: "auth", code: "device-revoked" })]);
  expect(failed.state).toMatchObject({ kind: "needs-login", code: "device-revoked" });
  expect(failed.effects).toEqual([
    { kind: "cancel", lane: "pull" },
    { kind: "report", report: { kind: "needs-login", code: "device-revoked" } },
    { kind: "set-timer", lane: "pull", atMs: at.nowMs + syncLimits.longDelayMs },
  ]);
  const again = feed(failed, [{ kind: "timer", lane: "pull" }]);
  expect(kinds(again.effects)).toEqual(["send-pull", "send-push"]);
});

test("[AU51] a one-shot sync does not wait for a person", () => {
  const failed = feed(start("once"), [failedIn("push", { family: "auth", code: "x" })]);
  expect(kinds(failed.effects)).toEqual(["cancel", "report"]);
  const listed = feed(failed, [{ kind: "unparked" }]);
  expect(kinds(listed.effects)).toEqual(["send-pull", "send-push"]);
});

test("[AU51] a login that works again takes back the timer that waited for it", () => {
  const failed = feed(start(), [failedIn("push", { family: "auth", code: "x" })]);
  const listed = feed(failed, [{ kind: "unparked" }]);
  expect(kinds(listed.effects)).toEqual(["cancel-timer", "send-pull", "send-push"]);
});

test.each([
  ["upgrade-server", "server"],
  ["upgrade-client", "client"],
  ["upgrade-of-a-later-kind", "client"],
] as const)("[WR32] %s stops the namespace and says that the %s is old", (code, side) => {
  const failed = feed(start(), [failedIn("push", { family: "upgrade", code })]);
  expect(failed.state).toMatchObject({ kind: "needs-upgrade", side });
  expect(failed.effects).toEqual([
    { kind: "cancel", lane: "pull" },
    { kind: "report", report: { kind: "needs-upgrade", side } },
  ]);
});

test("[HL30] a heal that meets another history is no reason for a heal", () => {
  const healing = feed(start(), [nothingToPush, unequal]);
  const failed = feed(healing, [failedIn("heal", { family: "heal", code: "history" })]);
  expect(failed.effects).toEqual([
    { kind: "report", report: { kind: "trouble", lane: "heal", code: "history" } },
    { kind: "set-timer", lane: "heal", atMs: at.nowMs + syncLimits.longDelayMs },
  ]);
});

test("a push to another history makes a heal due, durably and first", () => {
  const failed = feed(start(), [headReached, history]);
  expect(failed.effects).toEqual([
    { kind: "demand-heal", why: "history" },
    { kind: "report", report: { kind: "heal-started", heals: 1 } },
    { kind: "start-heal" },
    { kind: "set-timer", lane: "push", atMs: at.nowMs + syncLimits.pollMs },
  ]);
  const healedNow = feed(failed, [healed]);
  expect(kinds(healedNow.effects)).toContain("send-push");
});

test("[EN11] a one-shot sync pushes again when the heal is done, not by the clock", () => {
  const failed = feed(start("once"), [headReached, history]);
  expect(kinds(failed.effects)).toEqual(["demand-heal", "report", "start-heal"]);
});

test("[EN9] a second push in a row that meets another history waits, with a word", () => {
  const second = feed(start(), [headReached, history, healed, history]);
  expect(reports(second.effects)).toEqual([{ kind: "trouble", lane: "push", code: "history" }]);
  expect(kinds(second.effects)).not.toContain("demand-heal");
  expect(active(second).push.dueAtMs).toBe(at.nowMs + syncLimits.longDelayMs);
});

test("pulls that meet another history count nothing against the push", () => {
  const pulls = failedIn("pull", { family: "heal", code: "history" });
  const first = feed(start(), [nothingToPush, pulls]);
  expect(first.effects).toContainEqual({ kind: "demand-heal", why: "history" });
  const second = feed(first, [healed, pulls]);
  expect(second.effects).toContainEqual({ kind: "demand-heal", why: "history" });
  expect(active(second).positionMisses).toBe(0);
});

test("[CK4] a clock too far ahead is told to the server by a heal, and no push goes before it", () => {
  const first = feed(start(), [headReached, tooFar]);
  expect(first.effects).toEqual([
    { kind: "demand-heal", why: "lamport-too-far" },
    { kind: "start-heal" },
  ]);
  const pushed = feed(first, [{ kind: "timer", lane: "push" }, { kind: "poke" }], at.nowMs + 5_000);
  expect(kinds(pushed.effects)).not.toContain("send-push");
  expect(kinds(feed(first, [healed]).effects)).toContain("send-push");
});

test("[CK4] the second time in a row unsent ops are stamped again, the third time they wait", () => {
  const second = feed(start(), [headReached, tooFar, healed, tooFar]);
  expect(kinds(second.effects)).toEqual(["restamp-lamports", "report", "send-push"]);
  expect(reports(second.effects)).toEqual([{ kind: "clock-repaired" }]);
  const third = feed(second, [tooFar]);
  expect(kinds(third.effects)).not.toContain("restamp-lamports");
  expect(reports(third.effects)).toEqual([
    { kind: "trouble", lane: "push", code: "lamport-too-far" },
  ]);
  expect(active(third).push.dueAtMs).toBe(at.nowMs + syncLimits.longDelayMs);
});

test("[CK4] a push that was taken ends the row", () => {
  const first = feed(start(), [headReached, tooFar, healed, pushTaken, { kind: "local-change" }]);
  const later = feed(feed(first, [{ kind: "timer", lane: "push" }]), [tooFar]);
  expect(kinds(later.effects)).toContain("demand-heal");
  expect(kinds(later.effects)).not.toContain("restamp-lamports");
});

test("[CK4] only a push says that a clock is too far ahead", () => {
  const failed = feed(start(), [
    nothingToPush,
    failedIn("pull", { family: "heal", code: "lamport-too-far" }),
  ]);
  expect(active(failed)).toMatchObject({ isPushHeld: false, lamportMisses: 0 });
});

test("[EN6] the way back is spread by the chance that belongs to the moment", () => {
  const lost = (jitter: number): number | undefined => {
    const { state } = feed(calm(), [{ kind: "poke" }]);
    const stepped = step(state, { ...failedIn("pull"), nowMs: at.nowMs, jitter });
    return active(stepped).pull.dueAtMs;
  };
  expect(lost(0.5)).toBe(at.nowMs + 500 + syncLimits.reconnectSpreadMs / 2);
  expect(lost(1)).toBe(at.nowMs + 1_000 + syncLimits.reconnectSpreadMs);
});

test("[MK2] a pull that meets another history heals, however often pushes missed before", () => {
  const missed = { ...active(feed(start("once"), [])), positionMisses: 2 };
  const refused = step(missed, {
    ...failedIn("pull", { family: "heal", code: "history" }),
    ...at,
  });
  expect(kinds(refused.effects)).toContain("start-heal");
});
