import { spawn } from "node:child_process";

/** The operating-system user a program runs as; undefined is the user of this process. */
export interface RunAs {
  readonly uid: number;
  readonly gid: number;
}

/** How a program ended. `code` is undefined when it could not be started or was killed. */
export interface ProgramEnd {
  readonly code: number | undefined;
  /** Standard output and error, or why it could not be started. */
  readonly output: string;
}

/** Output kept of a program, in characters from its end. */
const outputCharsMax = 4_000;

/** Runs a program to its end in `folder`, with a bare environment. Never rejects. */
export async function runProgram(
  command: string,
  args: readonly string[],
  options: { readonly folder: string; readonly runAs: RunAs | undefined },
): Promise<ProgramEnd> {
  return await new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: options.folder,
      env: bareEnvironment(),
      stdio: ["ignore", "pipe", "pipe"],
      ...options.runAs,
    });
    let output = "";
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString("utf8")).slice(-outputCharsMax);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.on("error", (cause) => {
      resolve({ code: undefined, output: cause.message });
    });
    child.on("close", (code) => {
      resolve({ code: code ?? undefined, output: output.trim() });
    });
  });
}

/**
 * What PostgreSQL gets to see of the environment: its messages in English, because readiness is
 * read from them, and nothing of the server's own settings, which may hold secrets.
 */
export function bareEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot } = process.env;
  return {
    LC_ALL: "C",
    TZ: "UTC",
    ...(PATH === undefined ? {} : { PATH }),
    ...(SystemRoot === undefined ? {} : { SystemRoot }),
  };
}
