import { lchown, lstat, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isErrno, makePrivateDir } from "../files.ts";
import type { RunAs } from "./run-program.ts";

/** Where the embedded PostgreSQL keeps things below the data directory. */
export interface Folders {
  /** `<data-dir>/postgres`, 0700, the only folder handed to PostgreSQL's user. */
  readonly home: string;
  /** The database itself (PGDATA). */
  readonly cluster: string;
  /** Where the socket lies by default. */
  readonly socket: string;
  /** Copies of the programs, if the installed ones cannot be used in place. */
  readonly cache: string;
  /** How to connect to the running server; for other commands on the same data directory. */
  readonly endpointFile: string;
  /** The password of the loopback endpoint; absent where sockets are used. */
  readonly passwordFile: string;
}

/** The folders of a data directory, as paths. */
export function foldersOf(dataDir: string): Folders {
  const home = join(dataDir, "postgres");
  return {
    home,
    cluster: join(home, "data"),
    socket: join(home, "socket"),
    cache: join(dataDir, "postgres-programs"),
    endpointFile: join(dataDir, "postgres-endpoint.json"),
    passwordFile: join(dataDir, "postgres-password"),
  };
}

/** Makes the folders, closed to everybody but PostgreSQL's user and the server. */
export async function makeFolders(folders: Folders, runAs: RunAs | undefined): Promise<void> {
  await makePrivateDir(folders.home);
  await giveTo(folders.home, runAs);
  await makeGivenDir(folders.socket, runAs);
}

/** Makes a 0700 folder that belongs to PostgreSQL's user. */
export async function makeGivenDir(path: string, runAs: RunAs | undefined): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (cause) {
    if (!isErrno(cause, "EEXIST")) throw cause;
    // Root must not follow a link its unprivileged user could have put here.
    if (!(await lstat(path)).isDirectory()) throw cause;
  }
  await giveTo(path, runAs);
}

/** Makes a short 0700 folder for a socket whose path would be too long in the data directory. */
export async function makeShortDir(runAs: RunAs | undefined): Promise<string> {
  const base = tmpdir().length < 40 ? tmpdir() : "/tmp";
  const path = await mkdtemp(join(base, "tidemark-"));
  await giveTo(path, runAs);
  return path;
}

/** Removes a folder made by {@link makeShortDir}. */
export async function removeShortDir(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
}

/**
 * How to run a PostgreSQL program on a cluster folder.
 *
 * Root's data directories often lie below folders closed to others (root's home, a fresh temporary
 * folder), and opening those up is not ours to do. So for root the program is started *inside* the
 * folder before its user changes, and told to use the folder it stands in: no parent is entered by
 * name, and the data directory itself can stay 0700.
 */
export function standIn(
  cluster: string,
  runAs: RunAs | undefined,
): { readonly folder: string; readonly dataArgument: string } {
  return { folder: cluster, dataArgument: runAs === undefined ? cluster : "/proc/self/cwd" };
}

async function giveTo(path: string, runAs: RunAs | undefined): Promise<void> {
  if (runAs !== undefined) await lchown(path, runAs.uid, runAs.gid);
}
