import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const bannedFolders = ["utils", "common", "lib", "services", "types", "helpers"];
const skipped = new Set(["node_modules", "dist", "build", "coverage", ".git", "fixtures"]);

const files = filesIn(["apps", "packages", "test", "bench", "scripts"]);
const sources = files.filter((file) => /\.(ts|tsx|mjs)$/.test(file));
const textByFile = new Map(sources.map((file) => [file, readFileSync(join(root, file), "utf8")]));
const spec = readFileSync(join(root, "docs/SPEC.md"), "utf8");
const ruleIds = new Set([...spec.matchAll(/^\| ([A-Z]{2,3}\d+) \|/gm)].map(([, id]) => id ?? ""));

test("every rule of the specification is quoted by a test title", () => {
  const quoted = quotedIds();
  expect([...ruleIds].filter((id) => !quoted.has(id))).toEqual([]);
});

test("every rule that a test title quotes stands in the specification", () => {
  expect([...quotedIds()].filter((id) => !ruleIds.has(id))).toEqual([]);
});

test("no rule is numbered twice", () => {
  const rows = [...spec.matchAll(/^\| ([A-Z]{2,3}\d+) \|/gm)].map(([, id]) => id);
  expect(rows.filter((id, index) => rows.indexOf(id) !== index)).toEqual([]);
});

test("no statement selects every column", () => {
  expect(matching(/select\s+\*/i, "scripts/tidy.test.ts")).toEqual([]);
});

test("nothing is left for later", () => {
  expect(matching(/\b(TODO|FIXME|XXX|HACK)\b/, "scripts/tidy.test.ts")).toEqual([]);
});

test("no test is skipped or alone", () => {
  expect(matching(/\b(test|describe)\.(skip|only|todo)\(/, "scripts/tidy.test.ts")).toEqual([]);
});

test("no folder has a name that says nothing", () => {
  const folders = new Set(files.flatMap((file) => file.split("/").slice(0, -1)));
  expect(bannedFolders.filter((name) => folders.has(name))).toEqual([]);
});

test("every lint exception says why", () => {
  const silent = [...textByFile].filter(([file, text]) => {
    if (file === "scripts/tidy.test.ts") return false;
    const lines = text.split("\n").filter((line) => /(oxlint|eslint)-disable/.test(line));
    return lines.some((line) => !line.includes(" -- "));
  });
  expect(silent.map(([file]) => file)).toEqual([]);
});

test("the project names no path or registry of the machine it was built on", () => {
  const local = /(?<![\w.])\/(work|farm)\/|\.\.\/shared\/|registry\.npmjs/;
  const texts = [...files, ...filesIn(["docs", "deploy"])].filter((file) =>
    /\.(?:ts|tsx|mjs|cjs|js|json|md|csv|tsv|sh|sql|toml|ya?ml)$/.test(file),
  );
  const found = texts.filter((file) => local.test(readFileSync(join(root, file), "utf8")));
  expect(found).toEqual([]);
});

function matching(pattern: RegExp, except: string): readonly string[] {
  return [...textByFile]
    .filter(([file, text]) => file !== except && pattern.test(text))
    .map(([file]) => file);
}

function quotedIds(): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const [file, text] of textByFile) {
    if (!/(\.test\.ts|contract\.ts|scenarios\.ts)$/.test(file)) continue;
    for (const [, list = ""] of text.matchAll(/["'`]\[((?:[A-Z]{2,3}\d+(?:, ?)?)+)\]/g)) {
      for (const id of list.split(/, ?/)) ids.add(id);
    }
  }
  return ids;
}

function filesIn(folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      if (skipped.has(entry.name)) return [];
      const path = `${folder}/${entry.name}`;
      return entry.isDirectory() ? filesIn([path]) : [path];
    }),
  );
}
