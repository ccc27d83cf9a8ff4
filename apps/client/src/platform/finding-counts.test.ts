import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { addFindingCounts, readFindingCounts } from "./finding-counts.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "findings-"));
  path = join(folder, "state", "findings.jsonl");
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

test("[SC57] counts add up by kind", () => {
  expect(readFindingCounts(path)).toEqual({});
  addFindingCounts(path, { github_pat: 2, jwt: 1 });
  addFindingCounts(path, { github_pat: 3 });
  expect(readFindingCounts(path)).toEqual({ github_pat: 5, jwt: 1 });
});

test("[SC57] a long file becomes one line, and no count is lost", () => {
  for (let each = 0; each < 9_000; each++) addFindingCounts(path, { github_pat: 1 });
  expect(readFindingCounts(path)).toEqual({ github_pat: 9_000 });
  expect(readFileSync(path, "utf8").length).toBeLessThan(131_072 + 64);
});

test("[SC57] what is no line of counts is passed over", () => {
  addFindingCounts(path, { jwt: 1 });
  writeFileSync(path, '{"jwt":1}\n{"a b":3}\nnonsense\n{"jwt":', { flag: "a" });
  expect(readFindingCounts(path)).toEqual({ jwt: 2 });
});

test("[SC57] where nothing can be written nothing is counted, and nothing fails", () => {
  writeFileSync(join(folder, "state"), "a file");
  addFindingCounts(path, { jwt: 1 });
  expect(readFindingCounts(path)).toEqual({});
});
