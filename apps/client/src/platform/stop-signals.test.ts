import { afterEach, expect, test } from "vitest";
import { endable, onStop } from "./stop-signals.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const before = signals.map((signal) => process.rawListeners(signal));
afterEach(() => {
  for (const [index, signal] of signals.entries()) {
    process.removeAllListeners(signal);
    for (const each of before[index] ?? []) process.on(signal, each as () => void);
  }
});

test("[CL73] what never waits hears of no signal, so that one ends the program", () => {
  onStop(() => undefined);
  const heard = endable(() => signals.map((signal) => process.listenerCount(signal)));
  expect(heard).toEqual([0, 0, 0]);
});

test.each(signals)("[CL73] afterwards the program hears of %s again, once", (signal) => {
  let stops = 0;
  onStop(() => {
    stops += 1;
  });
  expect(endable(() => "done")).toBe("done");
  process.emit(signal, signal);
  process.emit(signal, signal);
  expect(stops).toBe(1);
});

test("[CL73] work that fails leaves the signals as they were", () => {
  onStop(() => undefined);
  const counts = signals.map((signal) => process.listenerCount(signal));
  const failing = (): never => {
    throw new Error("no");
  };
  expect(() => endable(failing)).toThrow("no");
  expect(signals.map((signal) => process.listenerCount(signal))).toEqual(counts);
});
