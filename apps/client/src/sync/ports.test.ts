import { expect, test } from "vitest";
import { drawJitter, forwardClock, linkSignals, pause, untilAborted } from "./ports.ts";
import { createVirtualTime } from "./testing/virtual-time.ts";

test("[EN21] time never goes back, however the wall clock is set", () => {
  let wallMs = 1_000_000;
  const clock = forwardClock({ nowMs: () => wallMs });
  expect(clock.nowMs()).toBe(1_000_000);
  wallMs = 10_000;
  expect(clock.nowMs()).toBe(1_000_000);
  wallMs = 10_500;
  expect(clock.nowMs()).toBe(1_000_500);
});

test("jitter lies from 0 to below 1", () => {
  expect(drawJitter({ bytes: (count) => new Uint8Array(count) })).toBe(0);
  const most = drawJitter({ bytes: (count) => new Uint8Array(count).fill(255) });
  expect(most).toBeLessThan(1);
  expect(most).toBeGreaterThan(0.999);
});

test("a pause ends at once when its signal aborts, and fails only where the timers fail", async () => {
  const time = createVirtualTime();
  const stop = new AbortController();
  const paused = pause(time, 1_000, stop.signal);
  stop.abort();
  await paused;
  const broken = { sleep: () => Promise.reject(new Error("no timers")) };
  await expect(pause(broken, 1, new AbortController().signal)).rejects.toThrow("no timers");
});

test("a linked signal follows its sources until it is released", () => {
  const source = new AbortController();
  const first = linkSignals(source.signal);
  const second = linkSignals(source.signal);
  second.release();
  source.abort();
  expect([first.signal.aborted, second.signal.aborted]).toEqual([true, false]);
  expect(linkSignals(source.signal).signal.aborted).toBe(true);
});

test("work that does not care for its signal is left behind", async () => {
  const stop = new AbortController();
  const stuck = untilAborted(new Promise<number>(() => undefined), stop.signal);
  stop.abort();
  expect(await stuck).toBeUndefined();
  expect(await untilAborted(Promise.resolve(7), new AbortController().signal)).toBe(7);
});
