import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fail, ok, type Result } from "@tidemark/protocol";
import { errnoOf } from "./errno.ts";

/** A file of a project, as found. */
export interface ProjectFile {
  readonly path: string;
  readonly text: string;
}

/** Why a file that is there cannot be read. */
export interface ProjectFileError {
  readonly path: string;
  readonly problem: string;
}

/** Folders looked at on the way up. */
const stepsMax = 64;
/** Largest file that is read, in bytes. */
const fileBytesMax = 262_144;

const { O_NONBLOCK, O_RDONLY } = constants;

/**
 * Reads the nearest file of a name from a folder upwards: to the top of the working copy, or to
 * the user's home. In a folder that lies in neither only that folder counts, so that nobody can
 * leave a file in `/tmp` for everybody else.
 */
export function readProjectFile(
  folder: string,
  name: string,
  home: string | undefined,
): Result<ProjectFile | undefined, ProjectFileError> {
  const start = resolve(folder);
  let nearest: string | undefined;
  let at = start;
  for (let step = 0; step < stepsMax; step += 1) {
    const path = join(at, name);
    if (nearest === undefined && isThere(path)) nearest = path;
    if (isThere(join(at, ".git")) || at === home) return read(nearest);
    const above = dirname(at);
    if (above === at) break;
    at = above;
  }
  const own = join(start, name);
  return read(nearest === own ? own : undefined);
}

function read(path: string | undefined): Result<ProjectFile | undefined, ProjectFileError> {
  if (path === undefined) return ok(undefined);
  try {
    // A pipe in the file's place must not hold a hook up.
    const file = openSync(path, O_RDONLY | O_NONBLOCK);
    try {
      const stats = fstatSync(file);
      if (!stats.isFile()) return fail({ path, problem: "it is no file" });
      if (stats.size > fileBytesMax) {
        return fail({ path, problem: `it is larger than ${fileBytesMax} bytes` });
      }
      return ok({ path, text: readFileSync(file, "utf8") });
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    const code = errnoOf(cause);
    if (code === undefined) throw cause;
    return fail({ path, problem: `it cannot be read: ${code}` });
  }
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (cause) {
    // What may not be looked at is there, and is told when it is read.
    return errnoOf(cause) !== "ENOTDIR";
  }
}
