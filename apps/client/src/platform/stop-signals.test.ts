import { execFileSync } from "node:child_process";
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

test("[CL73] a signal that came before such work is heard where it was waited for", () => {
  // Whoever is called back by the network or the disk is called before the next signals are looked for.
  const text = `import { stat } from "node:fs";
    import { endable, onStop, signalsHeard } from "${import.meta.resolve("./stop-signals.ts")}";
    onStop(() => console.log("heard"));
    stat(".", async () => {
      process.kill(process.pid, "SIGTERM");
      await signalsHeard();
      endable(() => console.log("works"));
    });`;
  const args = ["--import", import.meta.resolve("tsx"), "--input-type=module", "-e", text];
  expect(execFileSync(process.execPath, args, { encoding: "utf8" })).toBe("heard\nworks\n");
});
