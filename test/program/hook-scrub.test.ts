import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../apps/client/src/store/sqlite.ts";

const program = fileURLToPath(new URL("../../apps/client/dist/main.js", import.meta.url));
const literal = "build-07.acme.internal";
let root = "";
let repo = "";

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tidemark-hook-scrub-"));
  repo = join(root, "repo");
  mkdirSync(join(repo, ".tidemark"), { recursive: true });
  mkdirSync(join(repo, ".git"));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function settings(toml: string): void {
  writeFileSync(join(repo, ".tidemark", "scrub.toml"), toml);
}

/** Tells a hook of one use of a tool in the repository, and gives what it printed. */
function hook(id: string): string {
  const input = JSON.stringify({
    session_id: "5b0c8f0e-2f0a-4a58-9d9c-1f6f0f6f0f6f",
    cwd: repo,
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_use_id: id,
    tool_input: { command: `git commit -m 'Deploy to ${literal}'` },
    tool_response: { stdout: `[main 1a2b3c4] Deploy to ${literal}`, stderr: "" },
  });
  const { PATH } = process.env;
  const env = { PATH, HOME: root, TIDEMARK_HOME: join(root, "home") };
  const args = [program, "hook", "claude-code", "PostToolUse"];
  const ended = spawnSync(process.execPath, args, { input, env, cwd: repo, encoding: "utf8" });
  expect(ended.status).toBe(0);
  return ended.stdout + ended.stderr;
}

test.each([["of"], [[]]])(
  "[CP100] hooks capture nothing where `capture` is neither on nor off: %j",
  (capture) => {
    mkdirSync(join(root, "home"), { mode: 0o700 });
    const set = (value: unknown): void => {
      const text = JSON.stringify({ capture: value });
      writeFileSync(join(root, "home", "config.json"), text, { mode: 0o600 });
    };
    set(capture);
    expect(hook("t1")).toBe("");
    expect(captured()).toEqual([]);
    set("on");
    hook("t2");
    expect(captured()).toHaveLength(1);
  },
);

function captured(): readonly string[] {
  const path = join(root, "home", "tidemark.db");
  if (!existsSync(path)) return [];
  const db = openDatabase({ path, busyTimeoutMs: 1_000 });
  try {
    return db
      .all<{ payload: string }>("SELECT payload FROM agent_events ORDER BY id")
      .map(({ payload }) => payload);
  } finally {
    db.close();
  }
}

test("[SC14, SC57] a hook takes a project's literals out, and counts them", () => {
  settings(`literals = ["${literal}"]\n`);
  expect(hook("one")).toBe("");
  const [payload = ""] = captured();
  expect(payload).toMatch(/Deploy to __SECRET_literal_[a-z2-7]{12}__/);
  expect(payload).not.toContain(literal);
  const counts = readFileSync(join(root, "home", "findings.jsonl"), "utf8");
  expect(JSON.parse(counts)).toMatchObject({ literal: 2 });
});

test("[SC55] with broken settings a hook captures nothing, says nothing and counts it", () => {
  settings("literals = [\n");
  expect(hook("one")).toBe("");
  expect(captured()).toEqual([]);
  const skips = readFileSync(join(root, "home", "skips.jsonl"), "utf8");
  expect(skips).toContain('"reason":"scrub settings broken"');
  settings("");
  expect(hook("two")).toBe("");
  expect(captured()).toHaveLength(1);
});

/** Calls a program in a folder, and gives what it printed. */
function run(folder: string, words: readonly string[], input = ""): string {
  const { PATH } = process.env;
  const env = { PATH, HOME: root, TIDEMARK_HOME: join(root, "home") };
  const args = [program, ...words];
  const ended = spawnSync(process.execPath, args, { input, env, cwd: folder, encoding: "utf8" });
  expect(ended.stderr).toBe("");
  return ended.stdout;
}

function tell(folder: string, event: string, more: object): string {
  const payload = { session_id: "s1", cwd: folder, hook_event_name: event, ...more };
  return run(folder, ["hook", "claude-code", event], JSON.stringify(payload));
}

function prompt(folder: string, session: string): void {
  const said = "Remember that we deploy on Fridays only after the smoke tests";
  tell(folder, "UserPromptSubmit", { session_id: session, prompt: said, prompt_id: session });
}

function shown(folder: string): readonly { readonly namespace: string; readonly title: string }[] {
  const { items } = JSON.parse(run(folder, ["list", "--project", ".", "--json"])) as {
    items: { namespace: string; title: string }[];
  };
  return items.map(({ namespace, title }) => ({ namespace, title }));
}

/** A working copy under a path and with a remote; gives a folder in it. */
function workingCopy(path: string, remote: string): string {
  const folder = join(root, path, "src");
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(root, path, ".git"));
  mkdirSync(join(root, path, ".tidemark"));
  writeFileSync(join(root, path, ".git", "config"), `[remote "origin"]\n\turl = ${remote}\n`);
  writeFileSync(join(root, path, ".tidemark", "scrub.toml"), 'literals = ["moonshot"]\n');
  return folder;
}

const scrubbedPlaces = [
  ["the remote", "work", "https://example.com/acme/moonshot.git"],
  ["the folder's path", "work/moonshot", "https://example.com/acme/app.git"],
] as const;

test.each(scrubbedPlaces)(
  "[CP95] a project of whose name something is scrubbed is one for hooks and commands: %s",
  (_, path, remote) => {
    const folder = workingCopy(path, remote);
    run(folder, ["namespace", "use", "local"]);
    prompt(folder, "s1");
    // What is told again takes the place of what was told before.
    prompt(folder, "s2");
    const title = "We deploy on Fridays only after the smoke tests";
    expect(shown(folder)).toEqual([{ namespace: "local", title }]);
    const given = tell(folder, "SessionStart", { session_id: "s3", source: "startup" });
    expect(given).toContain(title);
  },
);

test.each(scrubbedPlaces)(
  "[CP95] a session in such a place is the project's own for an import and a handoff: %s",
  (_, path, remote) => {
    const folder = workingCopy(path, remote);
    run(folder, ["namespace", "use", "local"]);
    const content = "Remember that we deploy on Fridays only after the smoke tests";
    const line = { type: "user", uuid: "u1", sessionId: "s1", cwd: folder, message: { content } };
    const transcript = join(root, "s1.jsonl");
    writeFileSync(transcript, JSON.stringify(line));
    run(folder, ["import", transcript]);
    const title = "We deploy on Fridays only after the smoke tests";
    expect(shown(folder)).toContainEqual({ namespace: "local", title });
    tell(folder, "UserPromptSubmit", { session_id: "s2", prompt: "Add rate limiting to the gateway" }); // prettier-ignore
    expect(run(folder, ["handoff"])).toContain("Add rate limiting to the gateway");
  },
);
