import { statSync } from "node:fs";

/** Tells a file from another one that takes its path; undefined where there is none. */
export function fileMark(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : `${String(stats.dev)}:${String(stats.ino)}`;
}
