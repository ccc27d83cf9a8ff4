import { readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";

/** Folders looked at on the way up. */
const stepsMax = 64;
/** Largest git file that is read, in bytes. */
const gitFileBytesMax = 1_048_576;

/** A working copy: its top folder, and where git keeps what it knows of it. */
export interface GitFolder {
  readonly root: string;
  readonly gitFolder: string;
}

/**
 * Finds the working copy around a folder. No `git` is started (HK30): it costs several milliseconds,
 * and a hostile repository's configuration may make it run programs. In worktrees and submodules
 * `.git` is a file that names the folder.
 */
export function findGitFolder(cwd: string): GitFolder | undefined {
  let folder = resolve(cwd);
  for (let step = 0; step < stepsMax; step += 1) {
    const gitFolder = gitFolderAt(folder);
    if (gitFolder !== undefined) return { root: folder, gitFolder };
    const above = dirname(folder);
    if (above === folder) return undefined;
    folder = above;
  }
  return undefined;
}

function gitFolderAt(folder: string): string | undefined {
  const path = join(folder, ".git");
  const stats = statOf(path);
  if (stats === undefined) return undefined;
  if (stats.isDirectory()) return path;
  const target = /^gitdir: (.+)$/mu.exec(readGitFile(path) ?? "")?.[1]?.trim();
  if (target === undefined) return undefined;
  return isAbsolute(target) ? target : join(folder, target);
}

/** The text of a file of git's; undefined where there is none, or it is too large to be one. */
export function readGitFile(path: string): string | undefined {
  const stats = statOf(path);
  if (stats === undefined || !stats.isFile() || stats.size > gitFileBytesMax) return undefined;
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function statOf(path: string): ReturnType<typeof statSync> {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
