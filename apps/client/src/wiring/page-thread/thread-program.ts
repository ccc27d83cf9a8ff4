import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../platform/hash.ts";

/** By the build: what names the text of the thread's program. The sources have none beside them. */
declare const pageReaderHash: string;

/**
 * Path of the thread's program in a folder, where it is of the build that this program is of. An
 * update puts another in its place while a daemon still runs, and what that says is not known here.
 */
export function threadProgram(folder: string, hash: string = builtHash()): string | undefined {
  const path = join(folder, "page-reader.cjs");
  try {
    return sha256.hex(readFileSync(path, "utf8")).startsWith(hash) ? path : undefined;
  } catch {
    return undefined;
  }
}

function builtHash(): string {
  return typeof pageReaderHash === "undefined" ? "none" : pageReaderHash;
}
