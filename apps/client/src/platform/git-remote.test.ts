import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
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

test("[HK30] what a hostile repository configures runs nowhere (abuse 182)", () => {
  const mark = join(folder, "ran");
  const run = `touch ${mark}`;
  write(
    "app/.git/config",
    `[core]\n\tfsmonitor = ${run}\n\tsshCommand = ${run}\n\thooksPath = ${folder}/hooks\n\tpager = ${run}\n[credential]\n\thelper = !${run}\n[remote "origin"]\n\turl = ext::sh -c "${run}"\n\tuploadpack = ${run}\n[include]\n\tpath = /dev/zero\n`,
  );
  write("app/$(touch x)\n`touch y`/sub/file", "");
  for (const at of ["app", "app/$(touch x)\n`touch y`/sub"]) {
    expect(readGitPlace(join(folder, at))?.root).toBe(join(folder, "app"));
  }
  expect(existsSync(mark)).toBe(false);
});

test("[HK30] a link, a pipe or a file without end in the place of git's is none (abuse 182)", () => {
  write("app/.git", `gitdir: ${"../".repeat(2_000)}etc\n`);
  expect(readGitPlace(join(folder, "app"))).not.toHaveProperty("remote");
  write("zero/.git/HEAD", "x");
  symlinkSync("/dev/zero", join(folder, "zero/.git/config"));
  expect(readGitPlace(join(folder, "zero"))).toEqual({ root: join(folder, "zero") });
  write("loop/.git", "gitdir: .git\n");
  expect(readGitPlace(join(folder, "loop"))?.remote).toBeUndefined();
});
