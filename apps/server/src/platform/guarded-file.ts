import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/** A file's text, and who besides us can get at it. */
export interface GuardedFile {
  readonly text: string;
  /** Others may read a file of our own: we can close it. */
  readonly isReadableByOthers: boolean;
  /** Others may change it: what stands in it may be anybody's. */
  readonly isWritableByOthers: boolean;
}

/** Largest file of settings, in bytes. */
const bytesMax = 1_048_576;

/** Reads a file with its openness, from one open file; undefined where it cannot be read. */
export function readGuardedFile(path: string): GuardedFile | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const { uid, mode, size } = fstatSync(file);
    if (size > bytesMax) return undefined;
    const own = process.getuid?.();
    const isOwn = uid === own;
    // Systems without users have no modes to look at.
    const opened = own === undefined ? 0 : mode;
    return {
      text: readFileSync(file, "utf8"),
      isReadableByOthers: isOwn && (opened & 0o044) !== 0,
      isWritableByOthers: (opened & (isOwn ? 0o022 : 0o002)) !== 0,
    };
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
}
