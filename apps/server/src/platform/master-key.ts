import { chmod, lstat, stat } from "node:fs/promises";
import { join } from "node:path";
import { fail, ok, type Result } from "@tidemark/protocol";
import { createWholeFile, isErrno, makePrivateDir, readTextIfAny } from "./files.ts";
import type { Random } from "./random.ts";

/** Why there is no master key, and what to do. */
export interface MasterKeyError {
  readonly kind:
    | "master-key-missing"
    | "master-key-unreadable"
    | "master-key-open"
    | "master-key-damaged";
  readonly message: string;
  readonly hint: string;
}

const keyBytes = 32;
/** The file that a server made is its user's alone, as it was made; a group may read a copy. */
const ownModeRefused = 0o027;
/** A file that is named lies where somebody put it: secrets of containers are often 0444. */
const namedModeRefused = 0o022;

/** Where a data directory keeps the key that it made itself. */
export function masterKeyPath(dataDir: string): string {
  return join(dataDir, "master.key");
}

/** Reads a master key that a setting names (OPS71): 32 bytes as base64. */
export async function readMasterKey(path: string): Promise<Result<Uint8Array, MasterKeyError>> {
  return await readKey(path, namedModeRefused);
}

/** Reads the master key of a data directory. */
export async function readOwnMasterKey(
  dataDir: string,
): Promise<Result<Uint8Array, MasterKeyError>> {
  const path = masterKeyPath(dataDir);
  await closeToGroup(path);
  return await readKey(path, ownModeRefused);
}

/**
 * Takes a group's rights off a file of ours. Volumes of Kubernetes with an fsGroup give them to
 * each file at each start; what others may do is somebody's mistake, and is told.
 */
async function closeToGroup(path: string): Promise<void> {
  try {
    const { mode, uid } = await stat(path);
    const isOurs = uid === process.getuid?.();
    if (isOurs && (mode & 0o070) !== 0 && (mode & 0o007) === 0) await chmod(path, 0o600);
  } catch {
    // Reading the file tells what is wrong with it.
  }
}

async function readKey(
  path: string,
  modeRefused: number,
): Promise<Result<Uint8Array, MasterKeyError>> {
  const read = await readTextOf(path);
  if (!read.ok) return read;
  const text = read.value;
  if (text === undefined) {
    return fail({
      kind: "master-key-missing",
      message: `there is no master key at ${path}`,
      hint: `make one: (umask 077; head -c 32 /dev/urandom | base64 > ${path}), or start the server once`,
    });
  }
  const { mode } = await stat(path);
  if (process.platform !== "win32" && (mode & modeRefused) !== 0) {
    return fail({
      kind: "master-key-open",
      message: `other users may read or change ${path}`,
      hint: `close it: chmod 600 ${path}`,
    });
  }
  const key = Buffer.from(text.trim(), "base64");
  if (/^[\w+/-]{43}=?$/.test(text.trim()) && key.length === keyBytes) return ok(key);
  return fail({
    kind: "master-key-damaged",
    message: `${path} holds no master key`,
    hint: `it is 32 bytes as base64: restore it from a backup; or remove it, and devices sign in anew`,
  });
}

/** Undefined where there is no file: a new key in the place of one that is only closed costs all. */
async function readTextOf(path: string): Promise<Result<string | undefined, MasterKeyError>> {
  try {
    return ok(await readTextIfAny(path));
  } catch (cause) {
    if (!(await isThere(path))) throw cause;
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
    return fail({
      kind: "master-key-unreadable",
      message: `${path} cannot be read (${code})`,
      hint: `give it to the user that the server runs as: chown USER ${path}`,
    });
  }
}

/** Whether a file is known to be there; not where its folder is closed to us. */
async function isThere(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  );
}

/** Reads the master key of a data directory, or makes it (0600). Of two at once, one wins. */
export async function readOrMakeMasterKey(
  random: Random,
  dataDir: string,
): Promise<Result<Uint8Array, MasterKeyError>> {
  const path = masterKeyPath(dataDir);
  const known = await readOwnMasterKey(dataDir);
  if (known.ok || known.error.kind !== "master-key-missing") return known;
  await makePrivateDir(dataDir);
  try {
    const text = Buffer.from(random.bytes(keyBytes)).toString("base64");
    await createWholeFile(random, path, `${text}\n`);
  } catch (cause) {
    if (!isErrno(cause, "EEXIST")) throw cause;
  }
  return await readOwnMasterKey(dataDir);
}
