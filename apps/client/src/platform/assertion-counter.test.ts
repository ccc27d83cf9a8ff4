import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nextAssertionCounter } from "./identity.ts";

let folder: string;
let paths: { readonly assertionCounter: string };
const clock = { nowMs: () => 1_795_000_000_000 };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-counter-"));
  paths = { assertionCounter: join(folder, "assertion.counter") };
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function next(above?: number): number {
  const counter = nextAssertionCounter(paths, clock, above);
  if (!counter.ok) throw new Error(counter.error.hint);
  expect(readFileSync(paths.assertionCounter, "utf8")).toBe(`${counter.value}\n`);
  return counter.value;
}

test("[AU60] a counter rises, begins with the clock, and leaps above what a server has seen", () => {
  expect(next()).toBe(1_795_000_000_000);
  expect(next()).toBe(1_795_000_000_001);
  expect(next(1_795_000_000_500)).toBe(1_795_000_000_501);
  expect(next(7)).toBe(1_795_000_000_502);
});

test("[AU60] a damaged counter begins anew, above what a server has seen", () => {
  writeFileSync(paths.assertionCounter, "what?", { mode: 0o600 });
  expect(next(1_800_000_000_000)).toBe(1_800_000_000_001);
});

test("[AU60] no server leads a counter to where there is nothing above it", () => {
  const most = clock.nowMs() + 366 * 86_400_000;
  expect(next(Number.MAX_SAFE_INTEGER)).toBe(most);
  expect(next()).toBe(clock.nowMs());
  writeFileSync(paths.assertionCounter, "9007199254740991\n", { mode: 0o600 });
  expect(next()).toBe(clock.nowMs());
  expect(next()).toBe(clock.nowMs() + 1);
});
