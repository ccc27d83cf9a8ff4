import { watch, type FSWatcher } from "node:fs";
import { basename, dirname } from "node:path";

/**
 * How long after a change its watcher is told, in milliseconds. A commit is there only a moment after
 * the file was written, and a disk may take its time: so it is told more than once.
 */
const tellAfterMs = [4, 30, 200] as const;

/**
 * Calls back soon after a file was written, also where the file is made, removed and made again.
 * Systems and file systems that tell of nothing call back never: who watches has to look by itself as
 * well. Gives what ends the watch.
 */
export function watchFile(path: string, changed: () => void): () => void {
  const name = basename(path);
  const timers = new Map<number, NodeJS.Timeout>();
  const told = (_event: string, file: string | null): void => {
    if (file !== name && file !== null) return;
    for (const ms of tellAfterMs) {
      if (timers.has(ms)) continue;
      const timer = setTimeout(() => {
        timers.delete(ms);
        changed();
      }, ms);
      timer.unref();
      timers.set(ms, timer);
    }
  };
  const watcher = tryWatch(dirname(path), told);
  return () => {
    watcher?.close();
    for (const timer of timers.values()) clearTimeout(timer);
  };
}

function tryWatch(
  folder: string,
  told: (event: string, file: string | null) => void,
): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, told);
    // The folder went, or the system has no more room for watches.
    watcher.on("error", () => {
      watcher.close();
    });
    return watcher;
  } catch {
    return undefined;
  }
}
