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
