import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { filesAt } from "./tree-files.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-tree-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

test("[CL44] a hostile repository runs nothing when its files are listed (abuse 182)", () => {
  const repository = join(folder, "app\n$(touch x)");
  const mark = join(folder, "ran");
  const trap = join(folder, "trap");
  writeFileSync(trap, `#!/bin/sh\ntouch ${mark}\n`);
  chmodSync(trap, 0o755);
  expect(spawnSync("git", ["init", "-q", repository]).status).toBe(0);
  const settings = ["core.fsmonitor", "core.sshCommand", "core.pager", "core.editor"];
  for (const name of settings) spawnSync("git", ["-C", repository, "config", name, trap]);
  mkdirSync(join(repository, "hooks"));
  for (const hook of ["post-index-change", "fsmonitor-watchman"])
    symlinkSync(trap, join(repository, "hooks", hook));
  spawnSync("git", ["-C", repository, "config", "core.hooksPath", "hooks"]);
  writeFileSync(join(repository, "kept.txt"), "text");
  const listed = filesAt(repository);
  expect(listed.kind === "files" && listed.paths).toContain(join(repository, "kept.txt"));
  expect(existsSync(mark)).toBe(false);
  // The trap is one: git runs it when nobody forbids it.
  spawnSync("git", ["-C", repository, "status"]);
  expect(existsSync(mark)).toBe(true);
});

test.runIf(process.getuid?.() === 0)(
  "[CL44] a repository of another user's is looked through without its git (abuse 182)",
  () => {
    const repository = join(folder, "theirs");
    const mark = join(folder, "ran");
    const trap = join(folder, "trap");
    writeFileSync(trap, `#!/bin/sh\ntouch ${mark}\n`);
    chmodSync(trap, 0o755);
    expect(spawnSync("git", ["init", "-q", repository]).status).toBe(0);
    const set = (...setting: readonly string[]) =>
      spawnSync("git", ["-C", repository, "config", ...setting]);
    set("core.fsmonitor", trap);
    set("safe.directory", "*");
    writeFileSync(join(repository, ".gitignore"), "left-out.txt\n");
    writeFileSync(join(repository, "left-out.txt"), "text");
    for (const path of [repository, join(repository, ".git")]) chownSync(path, 12_345, 12_345);
    const listed = filesAt(repository);
    // Git refuses such a repository, so nothing tells what it ignores: all is looked through.
    expect(listed.kind === "files" && listed.paths).toContain(join(repository, "left-out.txt"));
    expect(existsSync(mark)).toBe(false);
  },
);
