import { readGuardedFile, type GuardedFile } from "./guarded-file.ts";
import { readSecretFile, type SecretFile } from "./secret-file.ts";

/** The program's surroundings, as commands see them. */
export interface Terminal {
  /** Arguments after the program's name. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes to standard output. */
  print(text: string): void;
  /** Writes to standard error. */
  printError(text: string): void;
  /** A secret's file, if it is as closed as it can be. */
  readSecret(path: string): SecretFile;
  /** A file of settings with its openness; undefined where it cannot be read. */
  readSettings(path: string): GuardedFile | undefined;
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
  readSecret: readSecretFile,
  readSettings: readGuardedFile,
  exit: (code) => {
    process.exit(code);
  },
};
