import { expect, test } from "vitest";
import type { Replica } from "../store/replica-store.ts";
import { outcomeOf } from "./outcome.ts";
import type { Failure } from "./transport.ts";
import { syncedReplica as done } from "./testing/replica.ts";

const failure: Failure = { family: "retry", code: "unreachable", title: "Away.", retryAfterMs: 5 };

test("[EN10] a namespace is done by what its store holds, whatever its last request came to", () => {
  expect(outcomeOf({ ...done, rejected: 2 }, "stopped", failure)).toEqual({
    namespace: "ns_a",
    name: "team",
    isDone: true,
    unsent: 0,
    unverified: 0,
    rejected: 2,
    needsHeal: false,
    state: "stopped",
    failure: undefined,
  });
});

test.each<Partial<Replica>>([
  { unsent: 1 },
  { unverified: 1 },
  { needsHeal: true },
  { verified: false },
])("[EN10] with %j a namespace is not done, and says why where a request failed", (change) => {
  const outcome = outcomeOf({ ...done, ...change }, "running", failure);
  expect(outcome.isDone).toBe(false);
  expect(outcome.failure).toEqual({ code: "unreachable", title: "Away." });
  expect(outcomeOf({ ...done, ...change }, "running", undefined).failure).toBeUndefined();
});

test.each<Partial<Replica>>([{ unsent: 1 }, { unverified: 1 }])(
  "[NS11] a parked namespace with %j is not done for being parked, whatever its last request came to",
  (change) => {
    const parked = { ...done, ...change, status: "parked" } as const;
    const { isDone, state, failure: why } = outcomeOf(parked, "running", failure);
    expect({ isDone, state, why }).toEqual({ isDone: false, state: "parked", why: undefined });
  },
);

test("[NS11] a parked namespace with nothing open is done: no sync can verify or heal it", () => {
  const parked = { ...done, status: "parked", verified: false, needsHeal: true } as const;
  expect(outcomeOf(parked, "running", failure)).toMatchObject({ isDone: true, state: "parked" });
  const unpaired = { ...done, status: "unpaired" } as const;
  expect(outcomeOf(unpaired, "running", failure).state).toBe("running");
});
