import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { rows } from "../apps/client/src/surfaces/cli/table.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const pages = ["README.md", "docs/guides/solo.md", "docs/guides/team.md", "docs/guides/company.md"];

function textOf(page: string): string {
  return readFileSync(join(root, page), "utf8");
}

test("[CL60] the README's table names every command there is, with its summary, and no other", () => {
  const listed = [...textOf("README.md").matchAll(/^\| `tidemark ([^`]+)` \| (.+) \|$/gm)];
  expect(listed.map(([, path, summary]) => `${path}: ${summary}`)).toEqual(
    rows.map(({ path, summary }) => `${path}: ${summary}`),
  );
});

test.each(pages)("[CL60] every command that %s tells to run exists", (page) => {
  const paths = new Set(rows.map(({ path }) => path));
  const blocks = [...textOf(page).matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = ""]) => text);
  const calls = blocks.flatMap((text) => [...text.matchAll(/^tidemark (\S+) ?(\S*)/gm)]);
  const unknown = calls.filter(
    ([, first = "", second = ""]) => !paths.has(first) && !paths.has(`${first} ${second}`),
  );
  expect(unknown.map(([line]) => line)).toEqual([]);
});

test.each(pages)("[CL60] every link of %s leads to a file", (page) => {
  const links = [...textOf(page).matchAll(/\]\(([^)#:]+)\)/g)].map(([, path = ""]) => path);
  expect(links.filter((path) => !existsSync(join(root, dirname(page), path)))).toEqual([]);
});
