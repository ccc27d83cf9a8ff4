import { getEventListeners } from "node:events";
import { beforeEach, expect, test } from "vitest";
import { createSlots } from "./slots.ts";

let never: AbortSignal;

beforeEach(() => {
  never = new AbortController().signal;
});

test("[EN26] work waits for room in the order it came, and what ends makes room, failed or not", async () => {
  const slots = createSlots(2);
  const begun: number[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const start = (name: number): Promise<number | undefined> =>
    slots.run(
      () =>
        new Promise((resolve, reject) => {
          begun.push(name);
          ends.push((error) => (error === undefined ? resolve(name) : reject(error)));
        }),
      never,
    );
  const all = [1, 2, 3, 4].map(start);
  expect(begun).toEqual([1, 2]);
  expect(slots.isAwaited()).toBe(true);
  ends[1]?.(new Error("lost"));
  await expect(all[1]).rejects.toThrow("lost");
  expect(begun).toEqual([1, 2, 3]);
  ends[0]?.();
  expect(await all[0]).toBe(1);
  expect(begun).toEqual([1, 2, 3, 4]);
  expect(slots.isAwaited()).toBe(false);
  // Room that was passed on is not free.
  void start(5);
  expect(begun).toEqual([1, 2, 3, 4]);
});

test("[EN26] who gives up while waiting leaves their place to the next", async () => {
  const slots = createSlots(1);
  const stop = new AbortController();
  let end = (): void => undefined;
  const first = slots.run(() => new Promise<void>((resolve) => (end = resolve)), never);
  const second = slots.run(() => Promise.resolve("second"), stop.signal);
  const third = slots.run(() => Promise.resolve("third"), never);
  stop.abort();
  expect(await second).toBeUndefined();
  end();
  await first;
  expect(await third).toBe("third");
  expect(getEventListeners(never, "abort")).toEqual([]);
  expect(await slots.run(() => Promise.resolve("late"), stop.signal)).toBeUndefined();
  expect(await slots.run(() => Promise.resolve("last"), never)).toBe("last");
});
