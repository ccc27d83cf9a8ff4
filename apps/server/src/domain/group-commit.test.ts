import { expect, test } from "vitest";
import { createGroupCommit } from "./group-commit.ts";

interface Gate {
  readonly groups: string[][];
  readonly release: () => void;
}

function gated(waitingMax = 100) {
  const gate = { groups: [] as string[][], release: () => {} };
  const groups = createGroupCommit<string, string>(
    { weigh: (job) => ({ ops: 1, bytes: job.length }), opsMax: 3, bytesMax: 10, waitingMax },
    async (_, jobs) => {
      gate.groups.push([...jobs]);
      await new Promise<void>((resolve) => {
        gate.release = resolve;
      });
      return jobs.map((job) => `${job} done`);
    },
  );
  return { gate, groups };
}

async function releaseUntil(gate: Gate, count: number): Promise<void> {
  while (gate.groups.length < count) {
    gate.release();
    await Promise.resolve();
  }
  gate.release();
}

test("[PS10] a lone job goes at once; those that come meanwhile go together", async () => {
  const { gate, groups } = gated();
  const answers = ["a", "b", "c", "d", "e"].map((job) => groups.submit("ns", job));
  await releaseUntil(gate, 3);
  expect(await Promise.all(answers)).toEqual(["a done", "b done", "c done", "d done", "e done"]);
  expect(gate.groups).toEqual([["a"], ["b", "c", "d"], ["e"]]);
});

test("[PS10] a group stays below its bytes, but a large job goes alone", async () => {
  const { gate, groups } = gated();
  const jobs = ["a", "x".repeat(20), "bbbbb", "ccccc", "d"];
  const answers = jobs.map((job) => groups.submit("ns", job));
  await releaseUntil(gate, 4);
  await Promise.all(answers);
  expect(gate.groups.map((group) => group.length)).toEqual([1, 1, 2, 1]);
});

test("[PS10] too many waiting are turned away; a failed group fails no other", async () => {
  const { gate, groups } = gated(1);
  const first = groups.submit("ns", "a");
  const second = groups.submit("ns", "b");
  expect(await groups.submit("ns", "c")).toBeUndefined();
  await releaseUntil(gate, 2);
  expect(await Promise.all([first, second])).toEqual(["a done", "b done"]);
  let fails = true;
  const flaky = createGroupCommit<string, string>(
    { weigh: () => ({ ops: 1, bytes: 1 }), opsMax: 3, bytesMax: 10, waitingMax: 9 },
    async (_, jobs) => {
      if (fails) throw new Error("no database");
      return jobs;
    },
  );
  await expect(flaky.submit("ns", "a")).rejects.toThrow("no database");
  fails = false;
  expect(await flaky.submit("ns", "b")).toBe("b");
});

test("[PS10] a job that breaks its group is tried alone, and so fails alone (abuse 123)", async () => {
  const tried: string[][] = [];
  const groups = createGroupCommit<string, string>(
    { weigh: () => ({ ops: 1, bytes: 1 }), opsMax: 9, bytesMax: 9, waitingMax: 9 },
    async (_, jobs) => {
      tried.push([...jobs]);
      await Promise.resolve();
      if (jobs.includes("broken")) throw new Error("a defect");
      return jobs;
    },
  );
  const answers = ["first", "b", "broken", "d"].map((job) => groups.submit("ns", job));
  const settled = await Promise.allSettled(answers);
  expect(settled.map(({ status }) => status)).toEqual([
    "fulfilled",
    "fulfilled",
    "rejected",
    "fulfilled",
  ]);
  expect(tried).toEqual([["first"], ["b", "broken", "d"], ["b"], ["broken"], ["d"]]);
});
