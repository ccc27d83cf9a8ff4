import { statSync, type Stats } from "node:fs";

/** Tells a file from another one that takes its path; undefined where there is none. */
export function fileMark(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : markOf(stats);
}

/** The same of a file that is open. */
export function markOf({ dev, ino }: Stats): string {
  return `${String(dev)}:${String(ino)}`;
}
