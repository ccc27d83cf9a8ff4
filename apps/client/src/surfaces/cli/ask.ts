import { safeText } from "../../platform/terminal.ts";
import type { Call, Outcome } from "./command.ts";
import type { CliDeps } from "./deps.ts";
import { trouble } from "./trouble.ts";

/** Asks before something that cannot be undone; a script is never asked (CL6). */
export async function isSure(deps: CliDeps, call: Call, question: string): Promise<boolean> {
  if (call.isOn("yes") || call.isJson || !deps.io.hasPerson) return true;
  const answer = await deps.io.ask(`${safeText(question)} [y/N] `);
  return /^y(?:es)?$/iu.test(answer?.trim() ?? "");
}

/** What a command ends with where the person thought better of it. */
export const stopped: Outcome = {
  ok: false,
  error: trouble({ code: "stopped", message: "nothing was done", hint: "answer y to go on" }),
};
