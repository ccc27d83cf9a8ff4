import {
  appendFileSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { fail, ok, type Result } from "@tidemark/protocol";
import { builtin } from "./builtin.ts";
import { errnoOf } from "./errno.ts";
import { fileMark, markOf } from "./file-mark.ts";

/** Why a private file could not be read or written. */
export interface FileError {
  readonly kind: "unsafe-file" | "exists" | "io";
  readonly path: string;
  /** The operating system's code, such as `ENOSPC`. */
  readonly code: string | undefined;
  /** What a person can do about it. */
  readonly hint: string;
}

/** Largest private file that is read whole, in bytes. */
export const privateFileBytesMax = 1_048_576;

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** Creates a file that only its owner can read (0600) and that must not exist; durable on return. */
export function createPrivateFile(
  path: string,
  bytes: string | Uint8Array,
): Result<void, FileError> {
  // An error that is thrown costs a hook more than a question does; O_EXCL still decides.
  if (isThere(path) === true) return fail(existsError(path));
  return attempt(path, () => {
    const file = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    writeAndClose(file, bytes);
    syncFolder(dirname(path));
  });
}

/**
 * Replaces a private file whole or not at all (OPS43): a new file beside it is synced and renamed
 * over it, so a power cut leaves the old text or the new one. A link in its place is replaced,
 * never followed. `mode` is what its owner may do with it, from the first moment.
 */
export function replacePrivateFile(
  path: string,
  bytes: string | Uint8Array,
  mode: 0o600 | 0o700 = 0o600,
): Result<void, FileError> {
  return attempt(path, () => {
    const unique = builtin.crypto().randomBytes(8).toString("hex");
    const temporary = join(dirname(path), `.${basename(path)}.${unique}`);
    try {
      const file = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
      writeAndClose(file, bytes);
      renameSync(temporary, path);
    } catch (cause) {
      rmSync(temporary, { force: true });
      throw cause;
    }
    syncFolder(dirname(path));
  });
}

/**
 * Appends one text in one write, making the file (0600) where there is none. `durable` waits until
 * the bytes are on the disk. Gives false where the path led to another file by then, or to none:
 * who took the file away may not have seen the text. Asked while the file is open, since a closed
 * one's number may be another's at once.
 */
export function appendPrivateFile(
  path: string,
  text: string,
  options: { readonly durable: boolean },
): Result<boolean, FileError> {
  return attempt(path, () => {
    const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
    const file = openSync(path, flags, 0o600);
    try {
      assertPrivate(path, file);
      appendFileSync(file, text);
      if (options.durable) fsyncSync(file);
      return fileMark(path) === markOf(fstatSync(file));
    } finally {
      closeSync(file);
    }
  });
}

/**
 * The text of a private file, or undefined if there is none. Refuses links, pipes, other people's
 * files and files that others may read or write (OPS42).
 */
export function readPrivateFile(
  path: string,
  bytesMax: number = privateFileBytesMax,
): Result<string | undefined, FileError> {
  if (isThere(path) === false) return ok(undefined);
  const read = attempt(path, () => {
    const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const size = assertPrivate(path, file);
      if (size > bytesMax) throw new UnsafeFileError(`it is larger than ${bytesMax} bytes`);
      return readFileSync(file, "utf8");
    } finally {
      closeSync(file);
    }
  });
  return !read.ok && read.error.code === "ENOENT" ? ok(undefined) : read;
}

/** A new private file that one program writes in pieces, and holds by its number, not by its name. */
export interface PrivateWriter {
  append(text: string): Result<void, FileError>;
  /** Waits until all of it, and its name, are on the disk; nothing can be given up after that. */
  end(): Result<void, FileError>;
  /** Gives the file up, and its name where that still leads to it. */
  drop(): void;
}

/** Creates a file that only its owner can read and that must not exist, to be written in pieces. */
export function writePrivateFile(path: string): Result<PrivateWriter, FileError> {
  return attempt(path, () => {
    const file = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    let isOpen = true;
    const close = (): void => {
      isOpen = false;
      closeSync(file);
    };
    return {
      append: (text) =>
        attempt(path, () => {
          writeFileSync(file, text);
        }),
      end: () =>
        attempt(path, () => {
          fsyncSync(file);
          syncFolder(dirname(path));
          close();
        }),
      drop: () => {
        // Asked while it is open: the number of a closed one may be another file's at once.
        if (!isOpen) return;
        // Whoever gives it up tells why; that it could not be taken away is no news beside it.
        attempt(path, () => {
          if (fileMark(path) === markOf(fstatSync(file))) rmSync(path, { force: true });
        });
        attempt(path, close);
      },
    };
  });
}

/** The user this program runs as; undefined where the system has no such number. */
export function ownUid(): number | undefined {
  return process.getuid?.();
}

class UnsafeFileError extends Error {}

function attempt<T>(path: string, act: () => T): Result<T, FileError> {
  try {
    return ok(act());
  } catch (cause) {
    return fail(fileError(path, cause));
  }
}

function fileError(path: string, cause: unknown): FileError {
  const code = errnoOf(cause);
  if (cause instanceof UnsafeFileError) {
    return { kind: "unsafe-file", path, code, hint: cause.message };
  }
  if (code === "ELOOP") return { kind: "unsafe-file", path, code, hint: "it is a link; remove it" };
  if (code === "EEXIST") return existsError(path);
  if (code === undefined) throw cause;
  return { kind: "io", path, code, hint: `the system says ${code}` };
}

function existsError(path: string): FileError {
  return { kind: "exists", path, code: "EEXIST", hint: "it exists already" };
}

/** Undefined for any other trouble, which opening the file will name. */
function isThere(path: string): boolean | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return undefined;
  }
}

function assertPrivate(path: string, file: number): number {
  const stats = fstatSync(file);
  const uid = ownUid();
  if (!stats.isFile()) throw new UnsafeFileError("it is not a regular file; remove it");
  if (uid === undefined) return stats.size;
  if (stats.uid !== uid) throw new UnsafeFileError("it belongs to another user");
  if ((stats.mode & 0o077) !== 0) {
    throw new UnsafeFileError(`others may use it: chmod 600 ${JSON.stringify(path)}`);
  }
  if (stats.nlink > 1) throw new UnsafeFileError("it has a second name (hard link); remove that");
  return stats.size;
}

function writeAndClose(file: number, bytes: string | Uint8Array): void {
  try {
    writeFileSync(file, bytes);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function syncFolder(path: string): void {
  if (process.platform === "win32") return;
  const folder = openSync(path, O_RDONLY);
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
