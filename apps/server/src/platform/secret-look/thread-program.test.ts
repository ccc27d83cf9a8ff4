import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import { isBuilt, threadProgram } from "./thread-program.ts";

const folder = mkdtempSync(join(tmpdir(), "tidemark-thread-program-"));
const path = join(folder, "secret-look.js");
const main = pathToFileURL(join(folder, "main.js")).href;

afterAll(() => {
  rmSync(folder, { recursive: true });
});

test("[OPS110] the program of another build is none, and the sources have none", () => {
  const text = "say('what this build says');";
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
  expect(threadProgram(main, hash)).toBeUndefined();
  writeFileSync(path, text);
  expect(threadProgram(main, hash)).toEqual(pathToFileURL(path));
  expect(isBuilt()).toBe(false);
  expect(threadProgram(main)).toBeUndefined();
  writeFileSync(path, "say('what an update says');");
  expect(threadProgram(main, hash)).toBeUndefined();
});
