import { readFileSync } from "node:fs";

/** The program's surroundings, as commands see them. */
export interface Terminal {
  /** Arguments after the program's name. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes to standard output. */
  print(text: string): void;
  /** Writes to standard error. */
  printError(text: string): void;
  /** A file's text; undefined if it cannot be read. */
  readFile(path: string): string | undefined;
  exit(code: number): void;
}

/** The terminal of this process. */
export const systemTerminal: Terminal = {
  args: process.argv.slice(2),
  env: process.env,
  print: (text) => {
    process.stdout.write(text);
  },
  printError: (text) => {
    process.stderr.write(text);
  },
  readFile: (path) => {
    try {
      return readFileSync(path, "utf8");
    } catch {
      return undefined;
    }
  },
  exit: (code) => {
    process.exit(code);
  },
};
