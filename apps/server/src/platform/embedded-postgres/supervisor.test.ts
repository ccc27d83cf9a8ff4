import { fail, ok } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { silentLog } from "../log.ts";
import { systemTimers } from "../timers.ts";
import type { Postmaster } from "./postmaster.ts";
import { supervise } from "./supervisor.ts";

interface FakePostmaster extends Postmaster {
  die(): void;
  readonly isStopped: boolean;
}

function createPostmaster(pid: number): FakePostmaster {
  let die = (): void => {};
  let isStopped = false;
  const ended = new Promise<string>((resolve) => {
    die = () => {
      resolve("signal SIGKILL");
    };
  });
  const stop = async (): Promise<void> => {
    isStopped = true;
    die();
    await ended;
  };
  return {
    pid,
    ended,
    stop,
    die,
    get isStopped() {
      return isStopped;
    },
  };
}

/** A supervisor whose clock moves `stepMs` at every death. */
function createWorld(stepMs: number) {
  let nowMs = 0;
  const running: FakePostmaster[] = [createPostmaster(1)];
  const [first] = running;
  if (first === undefined) throw new Error("there is a first one");
  const clock = { nowMs: () => (nowMs += stepMs) };
  const restart = async () => {
    const next = createPostmaster(running.length + 1);
    running.push(next);
    return ok(next);
  };
  const supervisor = supervise({ clock, timers: systemTimers, log: silentLog, restart }, first);
  return { supervisor, running };
}

test("[PG27] the sixth death within a minute is reported, not restarted", async () => {
  const { supervisor, running } = createWorld(1_000);
  for (let death = 1; death <= 6; death += 1) {
    await expect.poll(() => running.length).toBe(death);
    running.at(-1)?.die();
  }
  expect(await supervisor.failed).toMatchObject({ kind: "died-too-often" });
  expect(running).toHaveLength(6);
});

test("[PG27] deaths that lie far apart are survived any number of times", async () => {
  const { supervisor, running } = createWorld(30_000);
  for (let death = 1; death <= 20; death += 1) {
    await expect.poll(() => running.length).toBe(death);
    running.at(-1)?.die();
  }
  await expect.poll(() => running.length).toBe(21);
  await supervisor.stop();
  expect(running.at(-1)?.isStopped).toBe(true);
});

test("[PG27] a stop is not a death", async () => {
  const { supervisor, running } = createWorld(1_000);
  await supervisor.stop();
  expect(running).toHaveLength(1);
});

test("[PG27] a restart that fails is reported with its reason", async () => {
  const first = createPostmaster(1);
  const reason = { kind: "start-failed", message: "disk full", hint: "make room" } as const;
  const supervisor = supervise(
    {
      clock: { nowMs: () => 0 },
      timers: systemTimers,
      log: silentLog,
      restart: async () => fail(reason),
    },
    first,
  );
  first.die();
  expect(await supervisor.failed).toEqual(reason);
});
