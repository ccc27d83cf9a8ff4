import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTextFile, fileLines } from "./text-file.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-text-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function linesOf(text: string): Promise<readonly string[]> {
  const path = join(folder, "in.txt");
  writeFileSync(path, text);
  const lines = fileLines(path);
  if (!lines.ok) throw new Error(lines.error.message);
  const all: string[] = [];
  for await (const line of lines.value) all.push(line);
  return all;
}

test("[CL17] lines end at line feeds alone", async () => {
  expect(await linesOf("a\u{2028}b\r\nc\n\nd")).toEqual(["a\u{2028}b\r", "c", "", "d"]);
});

test("[CL17] lines and characters longer than a chunk stay whole", async () => {
  const long = "é🎉".repeat(50_000);
  expect(await linesOf(`${long}\nshort\n`)).toEqual([long, "short"]);
});

test("[CL17] a file that is not there, and a folder, are told", () => {
  for (const path of [join(folder, "nothing"), folder]) {
    expect(fileLines(path)).toMatchObject({ ok: false, error: { code: "no-file" } });
  }
});

test("[CL17] a new file replaces none", () => {
  const path = join(folder, "out.txt");
  expect(createTextFile(path).ok).toBe(true);
  expect(createTextFile(path)).toMatchObject({ ok: false, error: { code: "exists" } });
});
