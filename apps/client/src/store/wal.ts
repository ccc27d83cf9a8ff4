/** What a switch needs of a connection. */
interface Connection {
  pragma(name: string): unknown;
}

const pauseMsMax = 16;

/**
 * Puts a connection's file into WAL, and waits for others that do the same. Where several open a new
 * file at once, SQLite refuses all but one of them without asking the busy handler, since two that
 * waited there would wait for each other; so this waits instead, `waitMsMax` milliseconds in all, and
 * leaves the connection's busy timeout at 0. Throws SQLite's error when the file is busy for longer.
 */
export function switchToWal(connection: Connection, waitMsMax: number): void {
  connection.pragma("busy_timeout = 0");
  let waitedMs = 0;
  for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
    try {
      connection.pragma("journal_mode = WAL");
      return;
    } catch (error) {
      if (!isBusy(error) || waitedMs >= waitMsMax) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    waitedMs += pauseMs;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY");
}
