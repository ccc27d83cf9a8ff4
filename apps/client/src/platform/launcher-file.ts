import { mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Result } from "@tidemark/protocol";
import { replacePrivateFile, type FileError } from "./private-file.ts";

/**
 * Writes a script that its owner alone can read and start, whole or not at all: agents start it also
 * while it is made anew (OPS115).
 */
export function writeLauncher(path: string, text: string): Result<void, FileError> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return replacePrivateFile(path, text, 0o700);
}

/** Removes it, if it is there. */
export function removeLauncher(path: string): void {
  rmSync(path, { force: true });
}
