import { closeSync } from "node:fs";
import { isatty } from "node:tty";

/**
 * Lets go of a terminal that was closed meanwhile, as the program ends. Node puts back at its end how a
 * terminal was, and before nodejs/node#58200 aborts where that is no longer possible: what
 * had ended well would look like a crash (OPS111).
 */
export function letGoOfLostTerminal(): void {
  const terminals = [0, 1, 2].filter((file) => isatty(file));
  process.once("exit", () => {
    for (const file of terminals) {
      if (!isatty(file)) close(file);
    }
  });
}

function close(file: number): void {
  try {
    closeSync(file);
  } catch {
    // Somebody has let go of it already, which is all that is wanted.
  }
}
