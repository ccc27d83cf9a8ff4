import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readGitBranch, touchedSince } from "./git-work.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-git-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(path: string, text: string, atS?: number): void {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), text);
  if (atS !== undefined) utimesSync(join(folder, path), atS, atS);
}

test("[RC24] the branch of a working copy is read from its own files, a worktree's from its own", () => {
  write("app/.git/HEAD", "ref: refs/heads/fix/queue-retries\n");
  write("app/.git/worktrees/wt/HEAD", "ref: refs/heads/main\n");
  write("wt/.git", `gitdir: ${join(folder, "app/.git/worktrees/wt")}\n`);
  mkdirSync(join(folder, "app/src"));
  expect(readGitBranch(join(folder, "app/src"))).toBe("fix/queue-retries");
  expect(readGitBranch(join(folder, "wt"))).toBe("main");
  write("app/.git/HEAD", `${"a".repeat(40)}\n`);
  expect(readGitBranch(join(folder, "app"))).toBeUndefined();
  expect(readGitBranch(folder)).toBeUndefined();
});

test("[RC28] touched is what was written since the commit that is checked out, staged or new files too", () => {
  write("app/src/old.ts", "1", 1_000);
  write("app/.git/logs/HEAD", "x", 2_000);
  write("app/src/new.ts", "2", 3_000);
  const isTouched = touchedSince(join(folder, "app"));
  expect(isTouched?.("src/old.ts")).toBe(false);
  expect(isTouched?.("src/new.ts")).toBe(true);
  expect(isTouched?.("src/none.ts")).toBe(false);
  expect(isTouched?.("src")).toBe(false);
  expect(isTouched?.("src/old.ts/below")).toBe(false);
  // A session may have begun in a folder below, and its paths there.
  expect(touchedSince(join(folder, "app/src"))?.("new.ts")).toBe(true);
  expect(touchedSince(join(folder, "app/src"))?.("src/new.ts")).toBe(true);
});

test("[RC28] nothing outside the working copy is looked at, and outside of one nothing is told", () => {
  write("app/.git/logs/HEAD", "x", 2_000);
  write("beside.ts", "1", 3_000);
  const isTouched = touchedSince(join(folder, "app"));
  for (const path of [
    "../beside.ts",
    join(folder, "beside.ts"),
    "..",
    "",
    "a\0b",
    "x".repeat(9_000),
  ])
    expect(isTouched?.(path) === true ? path : "").toBe("");
  symlinkSync(join(folder, "beside.ts"), join(folder, "app/link.ts"));
  expect(isTouched?.("link.ts")).toBe(false);
  expect(touchedSince(folder)).toBeUndefined();
});

const hasGit = spawnSync("git", ["--version"]).status === 0;

test.skipIf(!hasGit)("[RC28] so it is in a repository that git made", () => {
  const git = (...args: readonly string[]): void => {
    const own = [
      "-c",
      "user.name=t",
      "-c",
      "user.email=t@example.com",
      "-c",
      "commit.gpgsign=false",
    ];
    const { status, stderr } = spawnSync("git", [...own, ...args], {
      cwd: folder,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(stderr);
  };
  git("init", "-q");
  const long = Date.now() / 1_000 - 60;
  write("a.ts", "1", long);
  write("b.ts", "1", long);
  git("add", ".");
  git("commit", "-q", "-m", "first");
  const later = Date.now() / 1_000 + 60;
  write("a.ts", "2", later);
  const isTouched = touchedSince(folder);
  expect([isTouched?.("a.ts"), isTouched?.("b.ts")]).toEqual([true, false]);
});
