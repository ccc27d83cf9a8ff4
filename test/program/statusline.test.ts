import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { clientProgram } from "./client-process.ts";

let root = "";
let home = "";
let work = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tidemark-line-"));
  home = join(root, "home");
  work = join(root, "work");
  for (const folder of [home, work]) mkdirSync(folder);
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function tidemark(...args: readonly string[]): string {
  const env = { PATH: process.env["PATH"] ?? "", HOME: home };
  return execFileSync(process.execPath, [clientProgram, ...args], {
    cwd: work,
    env,
    encoding: "utf8",
  });
}

function line(input: string | Buffer, env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [clientProgram, "statusline"], {
    input,
    cwd: root,
    env: { PATH: process.env["PATH"] ?? "", HOME: home, ...env },
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

function told(folder: string): string {
  return JSON.stringify({
    session_id: "s",
    model: { display_name: "M" },
    workspace: { current_dir: folder, project_dir: root },
  });
}

test("[CL50] it tells of the project that the host works in, as status --short does", () => {
  tidemark("save", "--title", "One");
  tidemark("save", "--title", "Two");
  expect(line(told(work))).toEqual({
    status: 0,
    stdout: "tidemark 2 here · not paired\n",
    stderr: "",
  });
  expect(line(told(root)).stdout).toBe("tidemark 0 here · not paired\n");
  expect(tidemark("status", "--short")).toBe("tidemark 2 here · not paired\n");
});

test("[ST28] where the log of the database was taken away it says its name, and makes none", () => {
  tidemark("save", "--title", "One");
  const database = join(home, ".local/share/tidemark/tidemark.db");
  const agent = new Sqlite(database);
  agent.exec("UPDATE meta SET value = value");
  rmSync(`${database}-wal`);
  expect(line(told(work))).toEqual({ status: 0, stdout: "tidemark\n", stderr: "" });
  expect(existsSync(`${database}-wal`)).toBe(false);
  agent.close();
  expect(line(told(work)).stdout).toContain("tidemark 1 here");
});

test("[CL50] without a home it says its name, and makes none", () => {
  expect(line(told(work))).toEqual({ status: 0, stdout: "tidemark\n", stderr: "" });
  expect(existsSync(join(home, ".local"))).toBe(false);
});

test.each([
  ["nothing", ""],
  ["half an object", '{"workspace":{"current_dir":"/ho'],
  ["other types", '{"workspace":[1],"cwd":{}}'],
  ["no JSON", "\u0000\uFFFF{{{"],
  ["two megabytes", `"${"x".repeat(2_000_000)}"`],
])("[CL50] %s on its input is no reason to fail", (_, input) => {
  tidemark("save", "--title", "One");
  const { status, stdout, stderr } = line(input);
  expect([status, stdout.split("\n").length, stderr]).toEqual([0, 2, ""]);
  expect(stdout).toMatch(/^tidemark/u);
});

test("[CL50] a database that is none is told in silence", () => {
  const own = join(root, "own");
  mkdirSync(own, { mode: 0o700 });
  writeFileSync(join(own, "tidemark.db"), "no database ".repeat(500), { mode: 0o600 });
  expect(line(told(work), { TIDEMARK_HOME: own })).toEqual({
    status: 0,
    stdout: "tidemark\n",
    stderr: "",
  });
});

test("[IN10] a status line is set where there is none, and taken out again", () => {
  const path = join(home, ".claude", "settings.json");
  mkdirSync(join(home, ".claude"));
  tidemark("install", "claude-code", "--yes");
  const { statusLine } = JSON.parse(readFileSync(path, "utf8")) as {
    statusLine: { command: string };
  };
  const shown = execFileSync("sh", ["-c", statusLine.command], {
    input: told(work),
    env: { PATH: process.env["PATH"] ?? "", HOME: home },
    encoding: "utf8",
  });
  expect(shown).toMatch(/^tidemark/u);
  expect(tidemark("install", "claude-code", "--yes")).toContain("is installed already");
  tidemark("uninstall", "claude-code", "--yes");
  expect(existsSync(path)).toBe(false);
});

test.each(["my-line.sh", "tidemark statusline | my-line.sh"])(
  "[IN10] a status line of a person's own stays: %s",
  (command) => {
    const path = join(home, ".claude", "settings.json");
    mkdirSync(join(home, ".claude"));
    const own = { statusLine: { type: "command", command } };
    writeFileSync(path, JSON.stringify(own));
    tidemark("install", "claude-code", "--yes");
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject(own);
    tidemark("uninstall", "claude-code", "--yes");
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(own);
  },
);
