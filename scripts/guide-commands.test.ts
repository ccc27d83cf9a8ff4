import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createTestClock, createTestRandom } from "../apps/server/src/auth/testing/auth-deps.ts";
import { runProgram } from "../apps/server/src/cli/program.ts";
import type { CliDeps } from "../apps/client/src/surfaces/cli/deps.ts";
import { parseArguments } from "../apps/client/src/surfaces/cli/parse.ts";
import { callOf, guideCalls, pageText, shellLines, type GuideCall } from "./guide-lines.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const guides = readdirSync(join(root, "docs/guides")).filter((name) => name.endsWith(".md"));
const pages = ["README.md", ...guides.map((name) => `docs/guides/${name}`)];

async function clientTrouble(args: readonly string[]): Promise<string> {
  const deps = { version: "9.9.9", io: { out: () => {} } } as unknown as CliDeps;
  const parsed = await parseArguments(args, deps);
  return parsed.kind === "misused" ? parsed.trouble.message : "";
}

/** Runs with a setting that is wrong, so that what parses goes no further than the settings. */
async function serverTrouble(args: readonly string[]): Promise<string> {
  let said = "";
  const code = await runProgram({
    terminal: {
      args,
      env: { TIDEMARK_SECRET_CHECK: "none" },
      print: () => {},
      printError: (text) => {
        said += text;
      },
      readSecret: () => ({ ok: false, error: "unreadable" }),
      exit: () => {},
    },
    clock: createTestClock(),
    random: createTestRandom("guides"),
    timers: { sleep: async () => await Promise.resolve(), every: () => () => {} },
    signals: { on: () => () => {} },
  });
  return code === 0 || said.includes("TIDEMARK_SECRET_CHECK") ? "" : said;
}

const troubleOf = async ({ program, args }: GuideCall): Promise<string> =>
  program === "tidemark" ? await clientTrouble(args) : await serverTrouble(args);

test.each(pages)("[CL63] every command of %s is one that its program takes", async (page) => {
  const bad: string[] = [];
  for (const line of guideCalls(page)) {
    const trouble = await troubleOf(line);
    if (trouble !== "") bad.push(`${line.program} ${line.args.join(" ")}: ${trouble}`);
  }
  expect(bad.join("\n")).toBe("");
});

test("[CL63] a word or an option that a program does not take is noticed", async () => {
  for (const line of [
    "tidemark remember --title x",
    "tidemark save --titel x",
    "tidemark pin",
    "tidemark-server serv",
    "tidemark-server serve --prot 1",
    "npm start -- --pubic-url x",
    "node apps/server/dist/main.js backup",
  ]) {
    const call = callOf(line);
    expect(call === undefined ? line : await troubleOf(call)).not.toBe("");
    expect(call).toBeDefined();
  }
  expect(pages.flatMap(guideCalls).length).toBeGreaterThan(150);
});

test("[CL63] every script of npm that a page names is there", () => {
  const { scripts } = JSON.parse(pageText("package.json")) as { scripts: Record<string, string> };
  const lines = pages.flatMap((page) => shellLines(page));
  const named = lines.flatMap((line) => [...line.matchAll(/npm run ([\w:-]+)/g)]);
  expect(named.map(([, name = ""]) => name).filter((name) => !(name in scripts))).toEqual([]);
  expect(named.length).toBeGreaterThan(3);
});
