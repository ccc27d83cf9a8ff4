import { expect, test } from "vitest";
import type { Memory } from "../../wiring/memory.ts";
import { noProgress, type Progress } from "./progress.ts";
import { takeAllSpooled } from "./spooled.ts";

/** A spool of so many captures, of which a turn takes in three; those that are stuck stay. */
function spool({ waiting, stuck = 0 }: { waiting: number; stuck?: number }) {
  const stop = new AbortController();
  const turns: number[] = [];
  let left = waiting;
  const memory = {
    hasSpooled: () => left + stuck > 0,
    takeSpooled: (msMax: number) => {
      turns.push(msMax);
      const taken = Math.min(3, left);
      left -= taken;
      return taken;
    },
  } as Partial<Memory> as Memory;
  const take = async (progress: Progress = noProgress) =>
    await takeAllSpooled(
      { memory: () => memory, signal: stop.signal, sleep: async () => undefined },
      progress,
    );
  return { take, turns, stop };
}

test("[CL51] what waits in the spool is taken in by turns until nothing waits, and how far it is told", async () => {
  const { take, turns } = spool({ waiting: 8 });
  const told: string[] = [];
  const progress = {
    ...noProgress,
    tell: (how: string) => told.push(how),
    end: () => told.push(""),
  };
  expect(await take(progress)).toBeUndefined();
  expect(turns).toHaveLength(3);
  expect(told.map((how) => /\d+/u.exec(how)?.[0])).toEqual(["3", "6", "8", undefined]);
  expect(await spool({ waiting: 0 }).take()).toBeUndefined();
});

test("[CL51] what stays in the spool is told, and not tried for ever", async () => {
  const { take, turns } = spool({ waiting: 4, stuck: 1 });
  expect(await take()).toMatchObject({ code: "spooled", exitCode: 1 });
  expect(turns).toHaveLength(3);
});

test("[CL51] a person who stops it is heard between two turns", async () => {
  const { take, turns, stop } = spool({ waiting: 100 });
  const progress = { ...noProgress, tell: () => stop.abort() };
  expect(await take(progress)).toMatchObject({ code: "spooled" });
  expect(turns).toHaveLength(1);
});
