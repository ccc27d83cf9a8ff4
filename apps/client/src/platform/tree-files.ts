import { closeSync, lstatSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { builtin } from "./builtin.ts";
import { errnoOf } from "./errno.ts";

/** What a path that a person gave leads to. */
export type TreeFiles =
  | { readonly kind: "files"; readonly paths: readonly string[] }
  | { readonly kind: "missing" };

/** Folders that hold what others wrote, or what git keeps for itself. */
const skippedFolders = new Set([".git", "node_modules"]);
const chunkBytes = 262_144;
/** How much of a file is looked at to tell whether it is text, as git does. */
const looksBinaryBytes = 8_000;
const gitOutputBytesMax = 268_435_456;

/**
 * The files of a path: itself, or all below it but git's own and `node_modules`. In a working copy
 * those that git ignores are left out as well. Links are not followed.
 */
export function filesAt(path: string): TreeFiles {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return { kind: "missing" };
  if (!stats.isDirectory()) return { kind: "files", paths: [path] };
  const known = gitFiles(path);
  if (known === undefined) return { kind: "files", paths: [...walk(path)].toSorted() };
  const files = known
    .filter((name) => !name.split("/").some((part) => skippedFolders.has(part)))
    .map((name) => join(path, name))
    .filter((each) => isFile(each));
  return { kind: "files", paths: [...new Set(files)].toSorted() };
}

/** What a repository may not have done when it is only looked at: programs run, files written. */
const harmless = [
  "--no-optional-locks",
  ...["core.fsmonitor=false", "core.hooksPath="].flatMap((setting) => ["-c", setting]),
] as const;

/** What git knows of a folder and does not ignore; undefined where git has no answer. */
function gitFiles(folder: string): readonly string[] | undefined {
  const listed = builtin.childProcess().spawnSync(
    "git",
    // A hostile repository's configuration must not start a program.
    [...harmless, "ls-files", "-z", "-c", "-o", "--exclude-standard"],
    { cwd: folder, encoding: "utf8", maxBuffer: gitOutputBytesMax, windowsHide: true },
  );
  if (listed.status !== 0) return undefined;
  return listed.stdout.split("\0").filter((name) => name !== "");
}

/**
 * The files of a path, in order: itself, or all below it but git's own and `node_modules`, whatever
 * git ignores. Links are not followed. Nothing where there is nothing.
 */
export function filesBelow(path: string): readonly string[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  return stats.isDirectory() ? [...walk(path)].toSorted() : [path];
}

/** Whether a path leads to a folder. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** What lies in a folder, by name; nothing where it cannot be read. */
export function namesIn(folder: string): readonly string[] {
  return entriesOf(folder)
    .map(({ name }) => name)
    .toSorted();
}

/** When a file was last written, in milliseconds. */
export function modifiedAt(path: string): number | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : Math.trunc(stats.mtimeMs);
}

/** What every SQLite database begins with. */
const databaseHead = "SQLite format 3\0";

/** Whether a file is a SQLite database, whatever it is called. */
export function isDatabaseFile(path: string): boolean {
  if (!isFileOrLink(path)) return false;
  try {
    const file = openSync(path, "r");
    try {
      const head = new Uint8Array(databaseHead.length);
      readSync(file, head, 0, head.length, 0);
      return new TextDecoder().decode(head) === databaseHead;
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    if (errnoOf(cause) === undefined) throw cause;
    return false;
  }
}

// A pipe is read once, by who takes it in.
function isFileOrLink(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function* walk(folder: string): Generator<string> {
  const pending = [folder];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for (const entry of entriesOf(at)) {
      const path = join(at, entry.name);
      if (entry.isFile()) yield path;
      else if (entry.isDirectory() && !skippedFolders.has(entry.name)) pending.push(path);
    }
  }
}

function entriesOf(folder: string): ReturnType<typeof readEntries> {
  try {
    return readEntries(folder);
  } catch (cause) {
    // The folder went, or is closed to this user: so is what lies in it.
    if (errnoOf(cause) === undefined) throw cause;
    return [];
  }
}

function readEntries(folder: string) {
  return readdirSync(folder, { withFileTypes: true });
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** A file's text in pieces, or why there is none. */
export type FileText =
  | { readonly kind: "text"; readonly chunks: Iterable<string> }
  | { readonly kind: "binary" }
  | { readonly kind: "unreadable"; readonly code: string };

/** Opens a file as text, read while it is asked for; a file with a zero byte at its head is none. */
export function fileText(path: string): FileText {
  try {
    const file = openSync(path, "r");
    try {
      const head = new Uint8Array(looksBinaryBytes);
      const count = readSync(file, head, 0, looksBinaryBytes, 0);
      if (head.subarray(0, count).includes(0)) return { kind: "binary" };
    } finally {
      closeSync(file);
    }
    return { kind: "text", chunks: { [Symbol.iterator]: () => readChunks(path) } };
  } catch (cause) {
    const code = errnoOf(cause);
    if (code === undefined) throw cause;
    return { kind: "unreadable", code };
  }
}

function* readChunks(path: string): Generator<string> {
  const file = openSync(path, "r");
  try {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    const buffer = new Uint8Array(chunkBytes);
    for (;;) {
      const count = readSync(file, buffer, 0, chunkBytes, null);
      if (count === 0) break;
      yield decoder.decode(buffer.subarray(0, count), { stream: true });
    }
    yield decoder.decode();
  } finally {
    closeSync(file);
  }
}
