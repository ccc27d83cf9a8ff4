import { afterEach, expect, test } from "vitest";
import { startChaos, summaryOf, type ChaosRun } from "./chaos-run.ts";

/** A seed in the environment tries another storm; `npm run chaos` tries many. */
const seed = Number(process.env["TIDEMARK_CHAOS_SEED"] ?? "20261121");

let running: ChaosRun | undefined;
afterEach(async () => {
  await running?.clear();
});

const faults = [
  "PostgreSQL killed",
  "daemon killed",
  "daemon stopped and continued",
  "network: blackhole",
  "network: cut",
  "network: delay",
  "network: half-open",
  "network: refuse",
  "network: throttle",
  "server drained",
  "server killed",
  "server stopped and continued",
];

const modes = ["blackhole", "cut", "delay", "half-open", "pass", "refuse", "throttle"];

test(`[CX3] three devices and a server live through a storm of faults, seed ${seed}`, async () => {
  running = startChaos(seed);
  const outcome = await running.outcome;
  process.stdout.write(`chaos with seed ${seed}: ${summaryOf(outcome)}\n`);
  expect(outcome.broken).toEqual([]);
  // A fault that did not strike, or a load that was none, has shown nothing.
  expect([...outcome.struck.keys()].toSorted()).toEqual(faults.toSorted());
  expect([...outcome.met.keys()].toSorted()).toEqual(modes);
  expect(outcome.saved).toBeGreaterThan(25);
  const ends = ["save ok", "save killed", "edit ok", "forget ok", "hook ok", "sync ok"];
  expect(ends.filter((end) => !outcome.done.has(end))).toEqual([]);
});
