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

test("[SI4] a bug that is planted is found by the program that looks for it", () => {
  const main = join(root, "test/mutants/main.ts");
  const args = ["--conditions=source", "--import", "tsx", main, "advance-over-others"];
  const { stdout, stderr, status } = spawnSync(process.execPath, [...args, "--seeds", "50"], {
    cwd: root,
    encoding: "utf8",
  });
  expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toContain("1 of 1 caught");
});
