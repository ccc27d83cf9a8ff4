import type { Environment } from "./paths.ts";
import { writeOut } from "./program.ts";

/** A terminal that is drawn on as a whole, and its keys. */
export interface Screen {
  /** Whether it can be drawn on: text that goes into a file or to a dumb terminal is lines. */
  readonly canDraw: boolean;
  size(): { readonly columns: number; readonly rows: number };
  /** Takes the screen and its keys; what was there comes back with the function that it gives. */
  take(keyed: (key: string) => void): () => void;
  /** Puts lines in the place of what is shown. */
  draw(lines: readonly string[]): void;
  /** Writes text where nothing is drawn; false when nobody reads any more. */
  print(text: string): boolean;
}

const enter = "\u001B[?1049h\u001B[?25l";
const leave = "\u001B[?25h\u001B[?1049l";

/** The screen behind standard output, with the keys of standard input. */
export function programScreen(env: Environment): Screen {
  const { stdin, stdout } = process;
  return {
    canDraw: stdout.isTTY && env["TERM"] !== "dumb",
    size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    take: (keyed) => {
      const onData = (bytes: Buffer): void => {
        keyed(bytes.toString("utf8"));
      };
      if (stdin.isTTY) {
        stdin.setRawMode(true);
        stdin.on("data", onData).resume();
      }
      writeOut(enter);
      return () => {
        writeOut(leave);
        if (!stdin.isTTY) return;
        stdin.off("data", onData).pause();
        stdin.setRawMode(false);
      };
    },
    draw: (lines) => {
      // From the top, each line cleared behind its text, and what is below: nothing flickers.
      writeOut(`\u001B[H${lines.map((line) => `${line}\u001B[K`).join("\r\n")}\u001B[J`);
    },
    print: writeOut,
  };
}
