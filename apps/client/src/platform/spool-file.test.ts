import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import type * as Files from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { systemRandom } from "./random.ts";
import { createSpoolFile, type SpoolFile } from "./spool-file.ts";

/** What other processes do between a write and the moment at which it is on the disk. */
let meanwhile: (() => void)[] = [];

vi.mock("node:fs", async (original) => {
  const files = await original<typeof Files>();
  const fsyncSync = (file: number): void => {
    meanwhile.shift()?.();
    files.fsyncSync(file);
  };
  return { ...files, fsyncSync };
});

let folder = "";
let path = "";
let spool: SpoolFile;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-spool-"));
  path = join(folder, "spool.jsonl");
  spool = createSpoolFile(systemRandom, path);
  meanwhile = [];
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Drains all that waits, as one drainer does that stores everything. */
function drained(): readonly string[] {
  return [...spool.claim()].flatMap((part) => {
    part.finish([]);
    return part.lines;
  });
}

test("[HK20] what waits is drained once, and nothing is left of the spool", () => {
  for (const line of ["one", "two"]) expect(spool.append(line).ok).toBe(true);
  expect(drained()).toEqual(["one", "two"]);
  expect(readdirSync(folder)).toEqual([]);
});

test("[HK80] what a drainer left is claimed before what was written since, and alone until it is done", () => {
  const parts = Array.from({ length: 8 }, (_, index) => index);
  for (const index of parts) {
    spool.append(`${index}-a`);
    spool.append(`${index}-b`);
    const [older] = spool.claim();
    expect(older?.lines).toEqual(index === 0 ? ["0-a", "0-b"] : [`${index - 1}-c`]);
    older?.finish([]);
    if (index > 0) expect(drained()).toEqual([`${index}-a`, `${index}-b`]);
    spool.append(`${index}-c`);
    for (const part of spool.claim()) part.finish(part.lines);
  }
});

test("[HK23] a line that went to a file which a drainer had read already is written again", () => {
  // The drainer reads before this line is there, and another hook begins the next spool.
  const taken = join(folder, "taken");
  meanwhile = [
    () => {
      renameSync(path, taken);
      appendFileSync(path, "\nanother\n", { mode: 0o600 });
      rmSync(taken);
    },
  ];
  expect(spool.append("late").ok).toBe(true);
  expect(drained()).toEqual(["another", "late"]);
});

test("[HK23] a spool that is taken from under a line each time is told, not called written", () => {
  meanwhile = Array.from({ length: 100 }, () => () => {
    rmSync(path);
  });
  expect(spool.append("late")).toMatchObject({ ok: false, error: { code: "spool-taken" } });
});

test("[HK23] a line that came late to a part stays where two drainers have it", () => {
  spool.append("one");
  const [first] = spool.claim();
  const [second] = spool.claim();
  const [part = ""] = readdirSync(folder);
  appendFileSync(join(folder, part), "\nlate\n");
  first?.finish([]);
  second?.finish([]);
  expect(readFileSync(join(folder, part), "utf8")).toBe("late\n");
});
