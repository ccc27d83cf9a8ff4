import { isAbsolute, join } from "node:path";
import { findGitFolder, readGitFile } from "./git-folder.ts";

/** The working copy that a folder lies in. */
export interface GitPlace {
  /** Top folder of the working copy. */
  readonly root: string;
  /** URL of `origin`, else of the first remote, as the file has it: it may hold credentials. */
  readonly remote?: string;
}

/**
 * Finds the working copy around a folder by reading files alone (HK30). Worktrees and submodules are
 * followed to the configuration that they share.
 */
export function readGitPlace(cwd: string): GitPlace | undefined {
  const found = findGitFolder(cwd);
  if (found === undefined) return undefined;
  const { root, gitFolder } = found;
  const remote = remoteOf(readGitFile(join(commonFolder(gitFolder), "config")));
  return remote === undefined ? { root } : { root, remote };
}

function commonFolder(gitFolder: string): string {
  const shared = readGitFile(join(gitFolder, "commondir"))?.trim();
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
