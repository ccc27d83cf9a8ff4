import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mutants } from "./list.ts";
import { edited, editsOf } from "./mutant.ts";

const root = join(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");

test("[SI4] each planted bug still has its place in the source, exactly once", () => {
  const misplaced = mutants.flatMap((mutant) =>
    editsOf(mutant).filter(({ file, find }) => read(file).split(find).length !== 2),
  );
  expect(misplaced).toEqual([]);
  const idle = mutants.flatMap(editsOf).filter((edit) => edited(edit.find, edit) === edit.find);
  expect(idle).toEqual([]);
});

test("[SI4] planted bugs have names of their own and break rules that exist", () => {
  const spec = read("docs/SPEC.md");
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  expect(mutants.filter(({ rule }) => !spec.includes(`| ${rule} |`))).toEqual([]);
});

function program(...args: readonly string[]): { status: number | null; said: string } {
  const main = join(root, "test/mutants/main.ts");
  const run = spawnSync(
    process.execPath,
    ["--conditions=source", "--import", "tsx", main, ...args],
    {
      cwd: root,
      encoding: "utf8",
    },
  );
  return { status: run.status, said: run.stdout + run.stderr };
}

test("[SI4] a bug that is planted is found by the program that looks for it", () => {
  const { status, said } = program("advance-over-others", "--seeds", "50");
  expect(said).toContain("1 of 1 caught");
  expect(status).toBe(0);
});

test("[SI4] each seed that notices a bug is counted, not the first alone", () => {
  const { status, said } = program("acked-before-sent", "--count", "3");
  expect(said).toMatch(/acked-before-sent +3 of 3 seeds +one after \d/);
  expect(status).toBe(0);
});
