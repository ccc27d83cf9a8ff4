import { link, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Random } from "./random.ts";

/**
 * Makes a folder only its owner can enter (0700), parents included.
 *
 * An existing one keeps its mode: it may be a mount, or a folder named by mistake that others need.
 * What is private goes into it with a mode of its own.
 */
export async function makePrivateDir(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
}

/**
 * Writes a file only its owner can read (0600), whole or not at all: a new file beside it is
 * synced and renamed over it, and the folder is synced, so a power cut leaves the old or the new.
 */
export async function writePrivateFile(random: Random, path: string, text: string): Promise<void> {
  const suffix = Buffer.from(random.bytes(8)).toString("hex");
  const temporary = join(dirname(path), `.${suffix}.tmp`);
  try {
    await createPrivateFile(temporary, text);
    await rename(temporary, path);
  } catch (cause) {
    await rm(temporary, { force: true });
    throw cause;
  }
  await syncDir(dirname(path));
}

/** Creates a private file (0600) that must not exist yet; fails with EEXIST otherwise. */
export async function createPrivateFile(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Creates a private file (0600) whole or not at all: where the file system knows links, a crash
 * leaves no part of it under its name.
 * Fails with EEXIST where there is one already.
 */
export async function createWholeFile(random: Random, path: string, text: string): Promise<void> {
  const suffix = Buffer.from(random.bytes(8)).toString("hex");
  const temporary = join(dirname(path), `.${suffix}.tmp`);
  try {
    await createPrivateFile(temporary, text);
    await link(temporary, path);
  } catch (cause) {
    // Some file systems of networks know no links.
    if (!isErrno(cause, "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS")) throw cause;
    await createPrivateFile(path, text);
  } finally {
    await rm(temporary, { force: true });
  }
  await syncDir(dirname(path));
}

/** The text of a file, or undefined if there is none. Other failures throw. */
export async function readTextIfAny(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    if (isErrno(cause, "ENOENT")) return undefined;
    throw cause;
  }
}

/** Makes renames and creations inside a folder durable. Windows has no such call and needs none. */
export async function syncDir(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const dir = await open(path, "r");
  try {
    await dir.sync();
  } finally {
    await dir.close();
  }
}

/** True for an error of the operating system with one of these codes, such as `ENOENT`. */
export function isErrno(cause: unknown, ...codes: readonly string[]): boolean {
  return (
    cause instanceof Error &&
    "code" in cause &&
    typeof cause.code === "string" &&
    codes.includes(cause.code)
  );
}
