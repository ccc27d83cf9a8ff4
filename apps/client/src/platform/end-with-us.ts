import { builtin } from "./builtin.ts";

/**
 * Waits for a line: the end of the input without one is the end of whoever held it, by `kill -9` too.
 * The one word that it is given is a number.
 */
const watch = 'read -r line || kill -9 "-$1"';

/**
 * Has a group of processes end with this one, however this one ends (SM9): nobody else would end it.
 * Gives what says that it has ended by itself. Without a shell, as on Windows, nothing watches.
 */
export function endWithUs(group: number): () => void {
  if (process.platform === "win32") return () => undefined;
  try {
    const watcher = builtin.childProcess().spawn("/bin/sh", ["-c", watch, "sh", String(group)], {
      // A group of its own: what ends this program, such as Ctrl-C, leaves it time to see so.
      detached: true,
      cwd: "/",
      env: {},
      stdio: ["pipe", "ignore", "ignore"],
    });
    watcher.on("error", () => undefined);
    watcher.stdin.on("error", () => undefined);
    watcher.unref();
    return () => {
      watcher.stdin.end("\n");
    };
  } catch {
    return () => undefined;
  }
}
