import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "./clock.ts";
import { lockDataDir } from "./data-dir-lock.ts";
import { systemRandom } from "./random.ts";
import { systemTimers } from "./timers.ts";

const deps = { clock: systemClock, random: systemRandom, timers: systemTimers };

let dataDir = "";
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "tidemark-lock-"));
});
afterEach(async () => {
  await rm(dataDir, { recursive: true, force: true });
});

test("[PG21] one holder at a time, named to the next one, until released", async () => {
  const first = await lockDataDir(deps, dataDir);
  if (!first.ok) throw new Error("the folder is free");
  expect(await lockDataDir(deps, dataDir)).toEqual({
    ok: false,
    error: { kind: "data-dir-in-use", pid: process.pid },
  });
  await first.value.release();
  const second = await lockDataDir(deps, dataDir);
  expect(second.ok).toBe(true);
  if (second.ok) await second.value.release();
  expect(await readdir(join(dataDir, "lock"))).toEqual([]);
});

test("[PG21] of many that come at once, at most one wins", async () => {
  const hasty = {
    ...deps,
    timers: {
      ...systemTimers,
      sleep: async (ms: number) => {
        await systemTimers.sleep(ms / 50);
      },
    },
  };
  for (let round = 0; round < 20; round += 1) {
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, async () => await lockDataDir(hasty, dataDir)),
    );
    const winners = outcomes.filter((outcome) => outcome.ok);
    expect(winners.length).toBeLessThanOrEqual(1);
    await Promise.all(winners.map(async (winner) => winner.value.release()));
  }
});

test("[PG21] the claim of a dead process is taken over, a reused pid included", async () => {
  const first = await lockDataDir(deps, dataDir);
  if (!first.ok) throw new Error("the folder is free");
  const [claim = ""] = await readdir(join(dataDir, "lock"));
  await first.value.release();
  const [pid = "", mark = "", place = ""] = claim.split(".");
  await writeFile(join(dataDir, "lock", `999999999.${mark}.${place}.aa`), "");
  await writeFile(join(dataDir, "lock", `${pid}.1${mark}.${place}.bb`), "");
  const taken = await lockDataDir(deps, dataDir);
  expect(taken.ok).toBe(true);
  expect(await readdir(join(dataDir, "lock"))).toHaveLength(1);
  if (taken.ok) await taken.value.release();
});

test("[PG21] a claim from another container counts until it has been silent for 20 s", async () => {
  const foreign = join(dataDir, "lock", "1.2.0123456789abcdef.cc");
  await mkdir(join(dataDir, "lock"));
  await writeFile(foreign, "");
  expect(await lockDataDir(deps, dataDir)).toEqual({
    ok: false,
    error: { kind: "data-dir-in-use", pid: undefined },
  });
  const silentAtS = systemClock.nowMs() / 1000 - 21;
  await utimes(foreign, silentAtS, silentAtS);
  const taken = await lockDataDir(deps, dataDir);
  expect(taken.ok).toBe(true);
  if (taken.ok) await taken.value.release();
});
