import { fstatSync } from "node:fs";
import { createInterface } from "node:readline";

/**
 * What waits on standard input where that is no terminal: `nobody` where nothing can come, as from a
 * closed pipe, /dev/null or a file, which may be the list that a loop goes through and is left alone.
 */
export type PipedAnswer = { readonly said: string } | "nobody" | "silent";

/** Reads one line of a pipe, waiting so long at most. */
export async function pipedAnswer(msMax: number): Promise<PipedAnswer> {
  // Somebody sits there, and could not be shown the question.
  if (process.stdin.isTTY) return "silent";
  if (!isPipe()) return "nobody";
  const reader = createInterface({ input: process.stdin });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<PipedAnswer>((resolve) => {
      timer = setTimeout(() => {
        resolve("silent");
      }, msMax);
      reader.once("line", (said) => {
        resolve({ said });
      });
      reader.once("close", () => {
        resolve("nobody");
      });
    });
  } finally {
    clearTimeout(timer);
    reader.close();
    // An open pipe would keep the program alive.
    process.stdin.destroy();
  }
}

function isPipe(): boolean {
  try {
    const kind = fstatSync(0);
    return kind.isFIFO() || kind.isSocket();
  } catch {
    return false;
  }
}
