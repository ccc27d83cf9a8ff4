import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemRandom } from "../platform/random.ts";
import { StoreFailure } from "../store/store-error.ts";
import { takeMendLock } from "./mend-lock.ts";

const timers = { sleep: () => Promise.resolve(), every: () => () => undefined };
const nowMs = 1_800_000_000_000;

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "tidemark-mend-"));
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

test("[OPS113] who waits for a repair that ends at that moment waits on, and is told of no full disk", () => {
  const claim = join(home, "mend.lock", "7.1.elsewhere.beef");
  mkdirSync(join(home, "mend.lock"));
  writeFileSync(claim, "");
  utimesSync(claim, nowMs / 1000, nowMs / 1000);
  // It is asked for the time at each look at the claim; the other one ends after the third.
  let looks = 0;
  const clock = {
    nowMs: () => {
      looks += 1;
      if (looks === 4) rmSync(claim, { force: true });
      return nowMs;
    },
  };
  const deps = { clock, random: systemRandom, timers };
  expect(takeMendLock({ home }, deps)).toBeUndefined();
  rmSync(claim, { force: true });
  takeMendLock({ home }, deps)?.release();
});

test("[OPS113] where no claim can be put down, that is told", () => {
  const random = {
    bytes: (count: number) => {
      rmSync(join(home, "mend.lock"), { recursive: true, force: true });
      return systemRandom.bytes(count);
    },
  };
  const deps = { clock: { nowMs: () => nowMs }, random, timers };
  expect(() => takeMendLock({ home }, deps)).toThrow(StoreFailure);
  writeFileSync(join(home, "mend.lock"), "");
  expect(() => takeMendLock({ home })).toThrow(StoreFailure);
});
