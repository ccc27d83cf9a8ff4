import { readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";

/** The working copy that a folder lies in. */
export interface GitPlace {
  /** Top folder of the working copy. */
  readonly root: string;
  /** URL of `origin`, else of the first remote, as the file has it: it may hold credentials. */
  readonly remote?: string;
}

/** Folders looked at on the way up. */
const stepsMax = 64;
/** Largest git file that is read, in bytes. */
const gitFileBytesMax = 1_048_576;

/**
 * Finds the working copy around a folder by reading files alone (HK30).
 *
 * No `git` is started: it costs several milliseconds, and a hostile repository's configuration may
 * make it run programs. Worktrees and submodules (`.git` is a file that names a folder) are
 * followed to the configuration that they share.
 */
export function readGitPlace(cwd: string): GitPlace | undefined {
  const found = findGitFolder(cwd);
  if (found === undefined) return undefined;
  const { root, gitFolder } = found;
  const remote = remoteOf(readText(join(commonFolder(gitFolder), "config")));
  return remote === undefined ? { root } : { root, remote };
}

/** What a working copy has checked out: the name of its branch; undefined for a commit by itself. */
export function readGitBranch(cwd: string): string | undefined {
  const found = findGitFolder(cwd);
  const head = found === undefined ? undefined : readText(join(found.gitFolder, "HEAD"));
  return /^ref: refs\/heads\/(\S{1,200})\s*$/u.exec(head ?? "")?.[1];
}

function findGitFolder(cwd: string): { root: string; gitFolder: string } | undefined {
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
  const target = /^gitdir: (.+)$/mu.exec(readText(path) ?? "")?.[1]?.trim();
  if (target === undefined) return undefined;
  return isAbsolute(target) ? target : join(folder, target);
}

function commonFolder(gitFolder: string): string {
  const shared = readText(join(gitFolder, "commondir"))?.trim();
  if (shared === undefined || shared === "") return gitFolder;
  return isAbsolute(shared) ? shared : join(gitFolder, shared);
}

function remoteOf(config: string | undefined): string | undefined {
  const urls = new Map<string, string>();
  let remote: string | undefined;
  for (const line of (config ?? "").split("\n")) {
    const section = /^\s*\[([^\]]*)\]/u.exec(line)?.[1];
    if (section !== undefined) {
      remote = /^remote "(.+)"$/u.exec(section.trim())?.[1];
      continue;
    }
    const url = /^\s*url\s*=\s*(.+?)\s*$/u.exec(line)?.[1];
    if (remote !== undefined && url !== undefined && !urls.has(remote)) urls.set(remote, url);
  }
  return urls.get("origin") ?? urls.values().next().value;
}

function readText(path: string): string | undefined {
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
