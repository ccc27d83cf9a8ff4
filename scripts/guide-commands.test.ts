import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createTestClock, createTestRandom } from "../apps/server/src/auth/testing/auth-deps.ts";
import { runProgram } from "../apps/server/src/cli/program.ts";
import type { CliDeps } from "../apps/client/src/surfaces/cli/deps.ts";
import { parseArguments } from "../apps/client/src/surfaces/cli/parse.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const guides = readdirSync(join(root, "docs/guides")).filter((name) => name.endsWith(".md"));
const pages = ["README.md", ...guides.map((name) => `docs/guides/${name}`)];

const textOf = (page: string): string => readFileSync(join(root, page), "utf8");

/** Lines of a page's blocks that a shell is given: fenced, or a step of a CI job. */
function shellLines(page: string): readonly string[] {
  const blocks = [...textOf(page).matchAll(/^ *```(?:sh|yaml)\n([\s\S]*?)^ *```/gm)];
  const lines = blocks.flatMap(([, text = ""]) => text.replaceAll("\\\n", " ").split("\n"));
  // The guide of troubles has its commands in tables, behind the messages.
  const spans = page.endsWith("troubleshooting.md")
    ? [
        ...textOf(page)
          .replaceAll(/^\| `[^|]+\|/gm, "|")
          .matchAll(/`(tidemark(?:-server)? [^`]+)`/g),
      ].map(([, text = ""]) => text)
    : [];
  return [...lines.map((line) => line.trim().replace(/^(?:- )?(?:run: )?/, "")), ...spans];
}

/** The words of the first command of a line, as a shell would part them. */
function wordsOf(line: string): readonly string[] {
  const parts = line.matchAll(/\s#.*$|&&|[|<>;]|(?:'[^']*'|"[^"]*"|[^\s'"|<>;&])+/g);
  const words: string[] = [];
  for (const [part] of parts) {
    if (/^(?:\s#|&&|[|<>;])/.test(part)) break;
    words.push(part.replaceAll(/['"]/g, ""));
  }
  return words;
}

interface Line {
  readonly program: "tidemark" | "tidemark-server";
  readonly args: readonly string[];
}

/** The line as a call of one of the two programs; undefined for any other. */
function callOf(line: string): Line | undefined {
  const [first = "", ...rest] = wordsOf(line.replace(/^docker compose exec server /, ""));
  if (first === "tidemark" || first === "tidemark-server") return { program: first, args: rest };
  if (first === "node" && /(?:server\/dist|\/opt\/tidemark)\/main\.js$/.test(rest[0] ?? ""))
    return { program: "tidemark-server", args: rest.slice(1) };
  // What stands behind `--` goes to the server that `npm start` starts.
  if (first === "npm" && rest[0] === "start")
    return { program: "tidemark-server", args: ["serve", ...rest.slice(2)] };
  return undefined;
}

const linesOf = (page: string): readonly Line[] =>
  shellLines(page).flatMap((line) => callOf(line) ?? []);

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

const troubleOf = async ({ program, args }: Line): Promise<string> =>
  program === "tidemark" ? await clientTrouble(args) : await serverTrouble(args);

test.each(pages)("[CL63] every command of %s is one that its program takes", async (page) => {
  const bad: string[] = [];
  for (const line of linesOf(page)) {
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
  expect(pages.flatMap(linesOf).length).toBeGreaterThan(150);
});

test("[CL63] every script of npm that a page names is there", () => {
  const { scripts } = JSON.parse(textOf("package.json")) as { scripts: Record<string, string> };
  const lines = pages.flatMap((page) => shellLines(page));
  const named = lines.flatMap((line) => [...line.matchAll(/npm run ([\w:-]+)/g)]);
  expect(named.map(([, name = ""]) => name).filter((name) => !(name in scripts))).toEqual([]);
  expect(named.length).toBeGreaterThan(3);
});
