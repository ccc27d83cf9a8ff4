import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readGitPlace } from "./git-remote.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-git-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(path: string, text: string): void {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), text);
}

test("[HK30] origin is found from a folder below, whatever stands before it (abuse 182)", () => {
  write(
    "app/.git/config",
    '[core]\n\tbare = false\n[remote "fork"]\n\turl = git@example.com:f/app.git\n[remote "origin"]\n\tfetch = +x\n\turl = https://example.com/o/app.git\n[url "x"]\n\turl = no\n',
  );
  mkdirSync(join(folder, "app/src/deep"), { recursive: true });
  expect(readGitPlace(join(folder, "app/src/deep"))).toEqual({
    root: join(folder, "app"),
    remote: "https://example.com/o/app.git",
  });
});

test("[HK30] a worktree shares the configuration of its repository", () => {
  write("app/.git/config", '[remote "origin"]\n  url = ssh://git@example.com/o/app\n');
  write("app/.git/worktrees/wt/commondir", "../..\n");
  write("wt/.git", `gitdir: ${join(folder, "app/.git/worktrees/wt")}\n`);
  expect(readGitPlace(join(folder, "wt"))).toEqual({
    root: join(folder, "wt"),
    remote: "ssh://git@example.com/o/app",
  });
});

test("[HK30] a repository without a remote is a place, no repository is none", () => {
  write("app/.git/config", "[core]\n");
  expect(readGitPlace(join(folder, "app"))).toEqual({ root: join(folder, "app") });
  expect(readGitPlace(join(folder, "gone", "away"))).toBeUndefined();
  expect(readGitPlace("/\0")).toBeUndefined();
});
