import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { noteSkip, readSkips, reserveSkips } from "./skip-log.ts";

test("[HK13] the file of skips has its block before the disk is full, and it counts for nothing", () => {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-skips-"));
  const path = join(folder, "state", "skips.jsonl");
  reserveSkips(path);
  reserveSkips(path);
  expect(statSync(path).size).toBe(1);
  expect(readSkips(path).total).toBe(0);
  noteSkip({ nowMs: () => 7 }, path, "full");
  expect(readSkips(path)).toEqual({ total: 1, byReason: { full: 1 }, lastAtMs: 7 });
  rmSync(folder, { recursive: true, force: true });
});
