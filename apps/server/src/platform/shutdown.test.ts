import { expect, test } from "vitest";
import { silentLog } from "./log.ts";
import { onShutdown, type ShutdownStep, type SignalSource } from "./shutdown.ts";
import type { Timers } from "./timers.ts";

/** Signals sent by hand, a deadline that passes by hand, and the exit code awaited. */
function createWorld(): {
  readonly deps: Parameters<typeof onShutdown>[0];
  send(name: Parameters<SignalSource["on"]>[0]): void;
  passDeadline(): void;
  readonly exited: Promise<number>;
} {
  const reactions = new Map<string, () => void>();
  const signals: SignalSource = {
    on: (name, react) => {
      reactions.set(name, react);
      return () => reactions.delete(name);
    },
  };
  let passDeadline = (): void => {};
  const timers: Timers = {
    sleep: async (_ms, signal) =>
      await new Promise((resolve, reject) => {
        passDeadline = resolve;
        signal?.addEventListener("abort", () => {
          reject(new Error("aborted"));
        });
      }),
    every: () => () => {},
  };
  const { promise: exited, resolve: exit } = createDeferred<number>();
  return {
    deps: { signals, timers, log: silentLog, exit },
    send: (name) => reactions.get(name)?.(),
    passDeadline: () => {
      passDeadline();
    },
    exited,
  };
}

function createDeferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function record(done: string[], names: readonly string[]): ShutdownStep[] {
  return names.map((name) => ({
    name,
    run: async () => {
      await Promise.resolve();
      done.push(name);
    },
  }));
}

test("[OPS1] a program that is stopped while it starts puts away what it came to open", async () => {
  const world = createWorld();
  const done: string[] = [];
  const steps: ShutdownStep[] = [];
  const starting = createDeferred<void>();
  const shutdown = onShutdown(world.deps, steps, starting.promise);
  expect(shutdown.hasBegun()).toBe(false);
  world.send("SIGTERM");
  expect(shutdown.hasBegun()).toBe(true);
  steps.unshift(...record(done, ["pool", "database"]));
  starting.resolve();
  expect(await world.exited).toBe(0);
  expect(done).toEqual(["pool", "database"]);
});

test("[OPS1] a start that never ends does not hold up the exit", async () => {
  const world = createWorld();
  onShutdown(world.deps, [], new Promise(() => {}));
  world.send("SIGTERM");
  world.passDeadline();
  expect(await world.exited).toBe(1);
});

test("[OPS1] a signal runs the steps in order and exits with 0", async () => {
  const world = createWorld();
  const done: string[] = [];
  onShutdown(world.deps, record(done, ["requests", "streams", "pool", "database"]));
  world.send("SIGTERM");
  expect(await world.exited).toBe(0);
  expect(done).toEqual(["requests", "streams", "pool", "database"]);
});

test("[OPS1] a failing step does not keep the next ones from running, and exits with 1", async () => {
  const world = createWorld();
  const done: string[] = [];
  const broken: ShutdownStep = { name: "pool", run: () => Promise.reject(new Error("stuck")) };
  onShutdown(world.deps, [broken, ...record(done, ["database"])]);
  world.send("SIGINT");
  expect(await world.exited).toBe(1);
  expect(done).toEqual(["database"]);
});

test("[OPS1] at the deadline the step in hand is told, later ones are dropped, exit 1", async () => {
  const world = createWorld();
  const done: string[] = [];
  let toldToStop = false;
  const hanging: ShutdownStep = {
    name: "streams",
    run: async (signal) =>
      await new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          toldToStop = true;
          resolve();
        });
      }),
  };
  onShutdown(world.deps, [hanging, ...record(done, ["database"])]);
  world.send("SIGTERM");
  world.passDeadline();
  expect(await world.exited).toBe(1);
  expect(toldToStop).toBe(true);
  expect(done).toEqual([]);
});

test("[OPS1] a second signal exits at once", async () => {
  const world = createWorld();
  onShutdown(world.deps, [{ name: "streams", run: () => new Promise(() => {}) }]);
  world.send("SIGTERM");
  world.send("SIGINT");
  expect(await world.exited).toBe(1);
});

test("[OPS1] a terminal that closes drains, and says so twice without hurrying it", async () => {
  const world = createWorld();
  const done: string[] = [];
  onShutdown(world.deps, record(done, ["requests", "database"]));
  world.send("SIGHUP");
  world.send("SIGHUP");
  expect(await world.exited).toBe(0);
  expect(done).toEqual(["requests", "database"]);
});

test("[OPS1] a drain begun from inside ends with the code asked for", async () => {
  const world = createWorld();
  const done: string[] = [];
  onShutdown(world.deps, record(done, ["requests"])).begin("database lost", 3);
  expect(await world.exited).toBe(3);
  expect(done).toEqual(["requests"]);
});
