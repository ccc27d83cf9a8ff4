import type { NamespaceId } from "@tidemark/protocol";
import { beforeEach, expect, test } from "vitest";
import { createPokeMerge, type PokeMerge } from "./poke-merge.ts";
import { syncLimits } from "./sync-limits.ts";
import { createVirtualTime, type VirtualTime } from "./testing/virtual-time.ts";

const { ownPokeMs } = syncLimits;
const mine = "mine" as NamespaceId;
const ours = "ours" as NamespaceId;

let time: VirtualTime;
let told: string[];
let tasks: Promise<void>[];
let stop: AbortController;
let merge: PokeMerge;

beforeEach(() => {
  time = createVirtualTime();
  told = [];
  tasks = [];
  stop = new AbortController();
  merge = createPokeMerge({
    timers: time,
    spawn: (work) => {
      tasks.push(work());
    },
    tell: ({ namespace, head }) => {
      told.push(`${namespace} ${String(head)}`);
    },
  });
});

function hear(namespace: NamespaceId, head: number, isHeld = false): void {
  merge.hear({ namespace, head }, isHeld, stop.signal);
}

test("[EN27] the first poke after a silence is told at once, the highest of a flood a moment later", async () => {
  for (let head = 1; head <= 5_000; head += 1) hear(mine, head);
  hear(mine, 7);
  expect(told).toEqual(["mine 1"]);
  await time.advance(ownPokeMs);
  expect(told).toEqual(["mine 1", "mine 5000"]);
  await time.advance(ownPokeMs);
  hear(mine, 5_001);
  hear(mine, 5_002);
  expect(told).toEqual(["mine 1", "mine 5000", "mine 5001"]);
  await time.advance(ownPokeMs);
  expect(told.at(-1)).toBe("mine 5002");
});

test("[EN27] namespaces do not wait for one another, and one timer waits for all", async () => {
  hear(mine, 1);
  await time.advance(ownPokeMs / 2);
  hear(ours, 1);
  hear(mine, 2);
  hear(ours, 2);
  expect(told).toEqual(["mine 1", "ours 1"]);
  await time.advance(ownPokeMs / 2);
  expect(told.slice(2)).toEqual(["mine 2"]);
  await time.advance(ownPokeMs);
  expect(told.slice(3)).toEqual(["ours 2"]);
  expect(tasks).toHaveLength(1);
});

test("[EN25] a poke that is held is told after a moment, once", async () => {
  hear(mine, 1, true);
  expect(told).toEqual([]);
  await time.advance(ownPokeMs);
  expect(told).toEqual(["mine 1"]);
});

test("[EN19] nothing is told once the run has ended", async () => {
  hear(mine, 1, true);
  stop.abort();
  await Promise.all(tasks);
  expect(told).toEqual([]);
  // The next run starts with silence.
  stop = new AbortController();
  hear(mine, 2);
  expect(told).toEqual(["mine 2"]);
});
