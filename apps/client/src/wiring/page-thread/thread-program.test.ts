import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { threadProgram } from "./thread-program.ts";

const folder = mkdtempSync(join(tmpdir(), "tidemark-thread-program-"));
const path = join(folder, "page-reader.cjs");

afterAll(() => {
  rmSync(folder, { recursive: true });
});

test("[PL25] no thread is started of another build's program, nor where there is none", () => {
  const text = "say('what this build says');";
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
  expect(threadProgram(folder, hash)).toBeUndefined();
  writeFileSync(path, text);
  expect(threadProgram(folder, hash)).toBe(path);
  expect(threadProgram(folder)).toBeUndefined();
  writeFileSync(path, "say('what an update says');");
  expect(threadProgram(folder, hash)).toBeUndefined();
});
