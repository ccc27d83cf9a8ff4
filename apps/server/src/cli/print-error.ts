import type { Terminal } from "../platform/terminal.ts";
import { databaseError } from "./database-error.ts";
import { fileError } from "./file-error.ts";
import { UserError } from "./user-error.ts";

/**
 * Says on standard error what went wrong and what to do, as lines or, for `--json`, as one
 * document (OPS20). Gives the exit code.
 */
export function printError(terminal: Terminal, cause: unknown, isJson: boolean): 1 | 2 {
  const error =
    cause instanceof UserError ? cause : (fileError(cause) ?? databaseError(cause) ?? fault(cause));
  const { code, message, hint } = error;
  terminal.printError(
    isJson
      ? `${JSON.stringify({ error: { code, message, hint } })}\n`
      : `error: ${message}\nhint: ${hint}\n`,
  );
  return error.exitCode;
}

function fault(cause: unknown): UserError {
  return new UserError({
    code: "internal",
    message: cause instanceof Error ? cause.message : String(cause),
    hint: "this is a fault of the program; please report it with these lines",
  });
}
