import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isSyncLockHeld, takeSyncLock } from "./sync-lock.ts";

const deps = {
  clock: { nowMs: () => 1_800_000_000_000 },
  random: { bytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)) },
  timers: { sleep: () => Promise.resolve(), every: () => () => undefined },
};

let folder = "";
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "tidemark-lock-")), "sync.lock");
});
afterEach(() => {
  rmSync(join(folder, ".."), { recursive: true, force: true });
});

test("[OPS45] one holder at a time; a release lets the next in", () => {
  expect(isSyncLockHeld(deps.clock, folder)).toBe(false);
  const first = takeSyncLock(deps, folder);
  expect(first.ok).toBe(true);
  expect(isSyncLockHeld(deps.clock, folder)).toBe(true);
  expect(takeSyncLock(deps, folder)).toEqual({
    ok: false,
    error: { kind: "held", pid: process.pid },
  });
  if (first.ok) first.value.release();
  expect(isSyncLockHeld(deps.clock, folder)).toBe(false);
  const next = takeSyncLock(deps, folder);
  expect(next.ok).toBe(true);
  expect(readdirSync(folder)).toHaveLength(1);
});

test("[OPS45] a dead holder's claim and a reused pid stop nobody", () => {
  const taken = takeSyncLock(deps, folder);
  const [claim = ""] = readdirSync(folder);
  if (taken.ok) taken.value.release();
  const [, , place = ""] = claim.split(".");
  writeFileSync(join(folder, `4194305.1.${place}.dead`), "");
  writeFileSync(join(folder, `${process.pid}.1.${place}.reused`), "");
  expect(isSyncLockHeld(deps.clock, folder)).toBe(false);
  expect(takeSyncLock(deps, folder).ok).toBe(true);
});

test("[OPS45] a claim from elsewhere counts while it shows life", () => {
  takeSyncLock(deps, folder);
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  const claim = join(folder, "7.1.elsewhere.beef");
  writeFileSync(claim, "");
  const nowS = deps.clock.nowMs() / 1000;
  utimesSync(claim, nowS - 5, nowS - 5);
  expect(isSyncLockHeld(deps.clock, folder)).toBe(true);
  utimesSync(claim, nowS - 60, nowS - 60);
  expect(isSyncLockHeld(deps.clock, folder)).toBe(false);
});

test("[OPS45] a claim from before the clock was set back stops nobody", () => {
  takeSyncLock(deps, folder);
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  const claim = join(folder, "7.1.elsewhere.beef");
  writeFileSync(claim, "");
  const nowS = deps.clock.nowMs() / 1000;
  utimesSync(claim, nowS + 31_536_000, nowS + 31_536_000);
  expect(isSyncLockHeld(deps.clock, folder)).toBe(false);
});
