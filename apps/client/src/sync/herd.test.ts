/** A thousand devices lose their server for ten minutes, and come back without trampling it. */
import { afterEach, expect, test } from "vitest";
import { createFleet, type Fleet } from "./testing/fleet.ts";
import type { Failure } from "./transport.ts";

const clients = 1_000;
const outageSeconds = 600;
/** Everyone is back after this: the longest backoff, the spread on top, and some room. */
const backSecondsMax = 6 * 60;
const busy: Failure = { family: "retry", code: "unavailable", title: "", retryAfterMs: 30_000 };

let fleet: Fleet | undefined;

afterEach(async () => {
  await fleet?.stop();
});

interface Herd {
  /** Requests a second, on average, before the outage. */
  readonly steady: number;
  /** Devices in sync before the outage; some are always in the middle of a change. */
  readonly inSyncBefore: number;
  readonly inSyncDuring: number;
  /** Requests in each second after the return. */
  readonly perSecond: readonly number[];
  readonly inSyncAfter: number;
}

async function outage(changeMs: number, failure?: Failure): Promise<Herd> {
  fleet = createFleet({ clients, changeMs, seed: 1 });
  await fleet.advance(240);
  const steady = mean(await fleet.advance(120));
  const inSyncBefore = fleet.inSync();
  fleet.goDown(failure);
  expect(mean(await fleet.advance(outageSeconds)), "nobody is answered").toBe(0);
  const inSyncDuring = fleet.inSync();
  fleet.comeBack();
  const perSecond = await fleet.advance(backSecondsMax);
  return { steady, inSyncBefore, inSyncDuring, perSecond, inSyncAfter: fleet.inSync() };
}

function mean(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0) / counts.length;
}

/** The busiest ten seconds, as requests a second. */
function busiest(counts: readonly number[]): number {
  return Math.max(...counts.map((_, from) => mean(counts.slice(from, from + 10))));
}

test("[EN22] at work, they come back with at most twice their steady rate in any second", async () => {
  const herd = await outage(60_000);
  expect(herd.inSyncDuring).toBe(0);
  expect(herd.steady).toBeGreaterThan(50);
  expect(Math.max(...herd.perSecond)).toBeLessThanOrEqual(2 * herd.steady);
  expect(busiest(herd.perSecond)).toBeLessThanOrEqual(1.3 * herd.steady);
  // Everyone is back: as many as before, but for those that have just changed something.
  expect(herd.inSyncAfter).toBeGreaterThanOrEqual(herd.inSyncBefore - 20);
});

for (const [name, failure] of [
  ["no answer", undefined],
  ["503 with Retry-After", busy],
] as const) {
  test(`[EN22] at rest, after ${name}, all are back, at most one in twenty in any second`, async () => {
    const herd = await outage(Infinity, failure);
    expect(herd.inSyncBefore).toBe(clients);
    expect(herd.inSyncDuring).toBe(0);
    expect(herd.inSyncAfter).toBe(clients);
    expect(Math.max(...herd.perSecond)).toBeLessThanOrEqual(clients / 20);
  });
}
