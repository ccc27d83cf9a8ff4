import type { CommandDeps } from "./command-deps.ts";
import { printError } from "./print-error.ts";
import { UserError } from "./user-error.ts";

/** What a program exits with that somebody has stopped. */
const stoppedCode = 130;

/**
 * Ends a command at a signal by an exit of its own (OPS117). One that the system ends takes nothing
 * along: the PostgreSQL that it started would run on, and write to a folder that looks free.
 */
export function endAtSignals(
  { signals, terminal }: Pick<CommandDeps, "signals" | "terminal">,
  isJson: boolean,
): void {
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    signals.on(name, () => {
      printError(terminal, stopped(), isJson);
      terminal.exit(stoppedCode);
    });
  }
}

function stopped(): UserError {
  return new UserError({
    code: "interrupted",
    message: "stopped before it was done",
    hint: "nothing is half done: run it again",
  });
}
