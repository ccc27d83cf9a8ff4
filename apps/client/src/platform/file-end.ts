import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { errnoOf } from "./errno.ts";

/** The end of a file, and what tells whether it has changed since. */
export interface FileEnd {
  readonly mark: string;
  /** Whole lines, the last ones of the file. */
  readonly lines: readonly string[];
}

/**
 * The last lines of a file, of at most so many bytes; undefined where it cannot be read, and where its
 * mark is the one given. Pipes and devices are no files.
 */
export function readFileEnd(path: string, bytesMax: number, mark?: string): FileEnd | undefined {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(file);
      const now = `${stats.size} ${stats.mtimeMs}`;
      if (!stats.isFile() || now === mark) return undefined;
      const start = Math.max(0, stats.size - bytesMax);
      const bytes = Buffer.alloc(stats.size - start);
      const count = readSync(file, bytes, 0, bytes.length, start);
      const lines = bytes.toString("utf8", 0, count).split("\n");
      return { mark: now, lines: start === 0 ? lines : lines.slice(1) };
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    if (errnoOf(cause) === undefined) throw cause;
    return undefined;
  }
}
