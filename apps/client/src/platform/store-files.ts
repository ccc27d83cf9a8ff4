import { rmSync, statSync } from "node:fs";
import { fileBytes } from "./file-bytes.ts";
import { fileMark } from "./file-mark.ts";
import { replacePrivateFile } from "./private-file.ts";

/** Name of the file that stands beside a database while it is repaired. */
export function mendingPath(path: string): string {
  return `${path}.mending`;
}

/** Name of the file that says that a database needs a look. */
export function suspicionPath(path: string): string {
  return `${path}.suspect`;
}

/** What an open asks about a database's files; a few questions to the file system, no reading. */
export const storeFiles: {
  readonly mark: (path: string) => string | undefined;
  readonly isMending: (path: string) => boolean;
  readonly isEmptied: (path: string) => boolean;
  readonly isLogGone: (path: string) => boolean;
  readonly note: (path: string, what: string) => void;
  readonly forget: (path: string) => void;
} = {
  mark: fileMark,
  isMending: (path) => isThere(mendingPath(path)),
  isEmptied: (path) => isThere(path) && fileBytes(path) === 0 && fileBytes(`${path}-wal`) > 0,
  // SQLite makes the log before the shared memory and removes it after; asked thrice, as another
  // process may open or close between two questions.
  isLogGone: (path) => !isThere(`${path}-wal`) && isThere(`${path}-shm`) && !isThere(`${path}-wal`),
  note: (path, what) => {
    // Without room or rights for a note the database still says what it is at the next use.
    if (fileBytes(suspicionPath(path)) === 0) replacePrivateFile(suspicionPath(path), what);
  },
  forget: (path) => {
    rmSync(suspicionPath(path), { force: true });
  },
};

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
