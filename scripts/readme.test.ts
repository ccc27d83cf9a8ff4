import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parseScrubFile } from "../apps/client/src/config/scrub-file.ts";
import { settings as clientSettings } from "../apps/client/src/config/settings.ts";
import { sourcesOf } from "../apps/server/src/config/help.ts";
import { settings as serverSettings, type Setting } from "../apps/server/src/config/settings.ts";
import { rows } from "../apps/client/src/surfaces/cli/table.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const guides = readdirSync(join(root, "docs/guides"))
  .filter((name) => name.endsWith(".md"))
  .map((name) => name.slice(0, -".md".length));
const pages = ["README.md", ...guides.map((name) => `docs/guides/${name}.md`)];

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

test("[CL60] the README links every guide", () => {
  const readme = textOf("README.md");
  expect(guides.filter((name) => !readme.includes(`](docs/guides/${name}.md)`))).toEqual([]);
});

test("[CL60] the guide for companies shows the files that tests run, as they stand", () => {
  const guide = textOf("docs/guides/company.md");
  const examples = readdirSync(join(root, "docs/guides/examples"));
  const hidden = examples.filter((name) => !guide.includes(textOf(`docs/guides/examples/${name}`)));
  expect(hidden).toEqual([]);
  expect(examples.length).toBeGreaterThan(0);
});

test("[SC55] the settings that the guide of scrubbing shows are read as they stand", () => {
  const [, toml = ""] = /```toml\n([\s\S]*?)```/.exec(textOf("docs/guides/scrubbing.md")) ?? [];
  const read = parseScrubFile(toml);
  expect(read.ok ? [] : read.error).toEqual([]);
  expect(read.ok && read.value.rules.map(({ kind }) => kind)).toEqual(["acme_token"]);
});

test("[SC13] what the guide of detectors quotes stands in the code", () => {
  const guide = textOf("docs/guides/writing-a-detector.md");
  const blocks = [...guide.matchAll(/```ts\n\/\/ (\S+)\n([\s\S]*?)```/g)];
  expect(blocks.length).toBeGreaterThan(2);
  const lineUp = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
  const stale = blocks.filter(
    ([, path = "", quoted = ""]) => !lineUp(textOf(path)).includes(lineUp(quoted)),
  );
  expect(stale.map(([block]) => block)).toEqual([]);
});

/** Rows of the settings' tables, by what stands in their first column. */
function settingRows(): ReadonlyMap<string, string> {
  const [client = "", server = ""] = textOf("docs/guides/settings.md").split("\n## The server\n");
  const entries = [client, server].flatMap((part, index) =>
    [...part.matchAll(/^\| (`[^|]+) \| .+$/gm)].map(
      ([line, first = ""]) => [`${index} ${first.replaceAll("`", "")}`, line] as const,
    ),
  );
  return new Map(entries);
}

test("[OPS50] the guide of settings has every setting of the client, with its file's member", () => {
  const missing = Object.values(clientSettings).filter(({ env, file }) => {
    const row = settingRows().get(`0 ${env}`) ?? "";
    return !row.startsWith(`| \`${env}\` | ${file === undefined ? "" : `\`${file}\` `}|`);
  });
  expect(missing.map(({ env }) => env)).toEqual([]);
});

test("[OPS10] the guide of settings has every setting of the server, with flag and default", () => {
  const all: readonly Setting<unknown>[] = Object.values(serverSettings);
  const missing = all.filter((setting) => {
    const { variables, preset } = sourcesOf(setting);
    const row = (settingRows().get(`1 ${variables}`) ?? "").replaceAll("`", "");
    return !row.startsWith(`| ${variables} | ${setting.flag} | ${preset} | `);
  });
  expect(missing.map(({ env }) => env)).toEqual([]);
});
