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
