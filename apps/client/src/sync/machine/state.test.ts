import { expect, test } from "vitest";
import { syncLimits } from "../sync-limits.ts";
import {
  active,
  at,
  calm,
  failedIn,
  feed,
  headReached,
  nothingToPush,
  start,
  unequal,
} from "../testing/machine-steps.ts";
import type { Step } from "./effect.ts";
import { freshLanes, isQuiet, isSpent, laneNames, type IdleState } from "./state.ts";

const standing = { mode: "once", isStreamHealthy: false } as const;
const idleStates: readonly IdleState[] = [
  { ...standing, kind: "stopped" },
  { ...standing, kind: "parked" },
  { ...standing, kind: "needs-login", code: "x" },
  { ...standing, kind: "needs-upgrade", side: "client" },
];

/** A one-shot sync in which one lane fails and the others are done. */
function onlyFailing(retryAfterMs?: number, times = 1): Step {
  let stepped = feed(start("once"), [headReached]);
  for (let time = 1; time <= times; time += 1) {
    stepped = feed(stepped, [{ kind: "timer", lane: "push" }, failedIn("push", { retryAfterMs })]);
  }
  return stepped;
}

test.each(idleStates)("[EN12] a namespace that is $kind is quiet and spent", (state) => {
  expect(isQuiet(state)).toBe(true);
  expect(isSpent(state, at.nowMs)).toBe(true);
});

test("[EN11] a namespace is quiet when nothing is in flight and nothing is due in any lane", () => {
  expect(isQuiet(calm("once").state)).toBe(true);
  expect(isQuiet(calm().state)).toBe(false);
  expect(isQuiet(feed(start("once"), [nothingToPush]).state)).toBe(false);
  expect(isQuiet(feed(start("once"), [headReached]).state)).toBe(false);
  expect(isQuiet(onlyFailing().state)).toBe(false);
  const fresh = { ...freshLanes(standing), kind: "running" } as const;
  for (const name of laneNames) {
    expect(isQuiet({ ...fresh, [name]: { ...fresh[name], isBusy: true } })).toBe(false);
    expect(isQuiet({ ...fresh, [name]: { ...fresh[name], dueAtMs: 5 } })).toBe(false);
  }
});

test("[EN12] a sync with a request in flight is not spent", () => {
  expect(isSpent(start("once").state, at.nowMs)).toBe(false);
  expect(isSpent(feed(start("once"), [headReached]).state, at.nowMs)).toBe(false);
});

test("[EN12] a sync with nothing more to do is spent", () => {
  expect(isSpent(calm("once").state, at.nowMs)).toBe(true);
});

test("[EN12] a lane that waits for a short time is sat out, a longer one is not", () => {
  const waiting = onlyFailing(syncLimits.onceWaitMsMax).state;
  expect(isSpent(waiting, at.nowMs)).toBe(false);
  expect(isSpent(onlyFailing(syncLimits.onceWaitMsMax + 1).state, at.nowMs)).toBe(true);
  expect(isSpent(onlyFailing(syncLimits.onceWaitMsMax + 1).state, at.nowMs + 1)).toBe(false);
});

test("[EN12] a lane that failed too often in a row is given up, however short its wait", () => {
  const { onceFailuresMax } = syncLimits;
  expect(isSpent(onlyFailing(undefined, onceFailuresMax - 1).state, at.nowMs)).toBe(false);
  const spent = onlyFailing(undefined, onceFailuresMax);
  expect(active(spent).push.streak).toBe(onceFailuresMax);
  expect(isSpent(spent.state, at.nowMs)).toBe(true);
});

test("[EN5] one success ends the row of failures, not yet the backoff", () => {
  const recovered = feed(onlyFailing(undefined, 3), [
    { kind: "timer", lane: "push" },
    { kind: "push-answered", outcome: { kind: "taken", hasMore: false } },
  ]);
  expect(active(recovered).push).toMatchObject({ streak: 0, failures: 3, notBeforeMs: 0 });
});

test("[EN12] one lane with a way forward is enough to go on", () => {
  const bothFailing = feed(onlyFailing(10 ** 6), [{ kind: "poke" }]);
  expect(isSpent(bothFailing.state, at.nowMs)).toBe(false);
  const pullWaits = feed(bothFailing, [failedIn("pull")]);
  expect(isSpent(pullWaits.state, at.nowMs)).toBe(false);
});

test("[EN12] a push that is held has no way forward of its own; a pull or heal has", () => {
  const fresh = { ...freshLanes(standing), kind: "forked", isPushHeld: true } as const;
  const due = (name: "push" | "pull" | "heal") => ({
    ...fresh,
    [name]: { ...fresh[name], dueAtMs: at.nowMs },
  });
  expect(isSpent(due("push"), at.nowMs)).toBe(true);
  expect(isSpent(due("pull"), at.nowMs)).toBe(false);
  expect(isSpent(due("heal"), at.nowMs)).toBe(false);
  expect(isSpent({ ...due("push"), isPushHeld: false }, at.nowMs)).toBe(false);
});

test("[EN12] a heal that has to wait for a pull in flight is not given up", () => {
  const healing = feed(start("once"), [nothingToPush, unequal]);
  expect(isSpent(healing.state, at.nowMs)).toBe(false);
});
