import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { fail, ok, type Result } from "@tidemark/protocol";
import { errnoOf } from "./errno.ts";

/** Why a settings file of another program was not read or written. */
export interface SettingsFileError {
  readonly message: string;
  readonly hint: string;
}

/** Largest settings file that is read, in bytes: some agents keep their state in theirs. */
const settingsBytesMax = 64 * 1_048_576;

/** Whether something is at a path. */
export function isThere(path: string): boolean {
  return existsSync(path);
}

/** Whether a path is a link, also one that leads to nothing. */
export function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** A settings file of another program; undefined where there is none. */
export function readSettingsFile(path: string): Result<string | undefined, SettingsFileError> {
  try {
    const stats = statSync(path);
    const hint = "move it away, then run this again";
    if (!stats.isFile()) return fail({ message: "it is no file", hint });
    if (stats.size > settingsBytesMax) return fail({ message: "it is too large", hint });
    const bytes = readFileSync(path);
    return ok(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (cause) {
    if (cause instanceof TypeError)
      return fail({ message: "it is no UTF-8", hint: "save it anew" });
    if (errnoOf(cause) === "ENOENT") return isLink(path) ? leadsNowhere : ok(undefined);
    return failed(cause, "cannot be read");
  }
}

/** What is to stand in a settings file in place of what stands there. */
export interface Replacement {
  /** What was read; where it is something else by now, nothing is written. */
  readonly before: string | undefined;
  /** Undefined removes the file. */
  readonly after: string | undefined;
  /** Whether a file that is new is one to be started. */
  readonly isProgram?: boolean;
}

/**
 * Replaces a settings file of another program whole or not at all, with the mode that it has. A link,
 * as people have who keep their settings in a repository, stays a link: what it leads to is replaced.
 * Where it is by now what it is to be, another program has done that, and it is done (OPS116).
 *
 * @param look reads it
 */
export function replaceSettingsFile(
  path: string,
  { before, after, isProgram = false }: Replacement,
  look: typeof readSettingsFile = readSettingsFile,
): Result<void, SettingsFileError> {
  const settled = (): Result<void, SettingsFileError> | undefined => {
    const now = look(path);
    if (!now.ok) return now;
    if (now.value === after) return ok(undefined);
    return now.value === before ? undefined : changed;
  };
  const known = settled();
  if (known !== undefined) return known;
  try {
    const fresh = isProgram ? 0o700 : 0o600;
    const target = before === undefined ? path : realpathSync(path);
    if (after === undefined) {
      rmSync(target);
      return ok(undefined);
    }
    const mode = before === undefined ? fresh : statSync(target).mode & 0o777;
    return writeWhole(target, after, mode, settled);
  } catch (cause) {
    // Another program was faster to take it away.
    if (after === undefined && errnoOf(cause) === "ENOENT") return ok(undefined);
    return failed(cause, "cannot be written");
  }
}

// A file in its place would be another one than the one that its owner keeps elsewhere.
const leadsNowhere = fail({
  message: "it is a link to what is not there",
  hint: "make what it leads to, or remove it; then run this again",
});

const changed = fail({ message: "it has changed meanwhile", hint: "run this again" });

/** The last look comes once the new text is on the disk: its own program may write it at any time. */
function writeWhole(
  target: string,
  text: string,
  mode: number,
  settled: () => Result<void, SettingsFileError> | undefined,
): Result<void, SettingsFileError> {
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  const beside = join(dirname(target), `.${basename(target)}.tidemark-${process.pid}`);
  try {
    writeFileSync(beside, text, { flag: "wx", mode: 0o600, flush: true });
    chmodSync(beside, mode);
    const known = settled();
    if (known === undefined) renameSync(beside, target);
    else rmSync(beside);
    return known ?? ok(undefined);
  } catch (cause) {
    rmSync(beside, { force: true });
    throw cause;
  }
}

function failed(cause: unknown, what: string): Result<never, SettingsFileError> {
  const code = errnoOf(cause);
  if (code === undefined) throw cause;
  return fail({ message: `it ${what}: ${code}`, hint: "check who owns the file and its folder" });
}
