import { lstatSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { findGitFolder, readGitFile } from "./git-folder.ts";

/** Files that are looked at, at most: one takes some microseconds. */
const filesMax = 500;

/** What a working copy has checked out: the name of its branch; undefined for a commit by itself. */
export function readGitBranch(cwd: string): string | undefined {
  const found = findGitFolder(cwd);
  const head = found === undefined ? undefined : readGitFile(join(found.gitFolder, "HEAD"));
  return /^ref: refs\/heads\/(\S{1,200})\s*$/u.exec(head ?? "")?.[1];
}

/**
 * Tells whether a file of a working copy was written since its last commit or checkout, by the times
 * of the files alone: so also what is staged, and what git does not know yet. Undefined outside one.
 *
 * @param folder what the paths that are asked for begin at; the top of the working copy is tried too
 */
export function touchedSince(folder: string): ((path: string) => boolean) | undefined {
  const found = findGitFolder(folder);
  const movedMs = found === undefined ? undefined : headMovedMs(found.gitFolder);
  if (found === undefined || movedMs === undefined) return undefined;
  const known = new Map<string, boolean>();
  const isTouched = (path: string): boolean =>
    [resolve(folder), found.root].some((from) => isWrittenAfter(found.root, join(from, path), movedMs)); // prettier-ignore
  return (path) => {
    const told = known.get(path);
    if (told !== undefined || known.size >= filesMax) return told === true;
    const answer = isTouched(path);
    known.set(path, answer);
    return answer;
  };
}

/** When the commit that is checked out last became another one. */
function headMovedMs(gitFolder: string): number | undefined {
  try {
    return statSync(join(gitFolder, "logs", "HEAD")).mtimeMs;
  } catch {
    return undefined;
  }
}

/** Memory may name any path: nothing outside the working copy is looked at. */
function isWrittenAfter(root: string, path: string, atMs: number): boolean {
  const within = relative(root, path);
  if (within === "" || within === ".." || within.startsWith(`..${sep}`)) return false;
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats?.isFile() === true && stats.mtimeMs > atMs;
  } catch {
    return false;
  }
}
