import { safeText } from "../../platform/terminal.ts";
import type { Call, Outcome } from "./command.ts";
import type { CliDeps } from "./deps.ts";
import { trouble } from "./trouble.ts";

/** Asks before something that cannot be undone; a script is never asked (CL6). */
export async function isSure(deps: CliDeps, call: Call, question: string): Promise<boolean> {
  if (call.isOn("yes") || call.isJson || !deps.io.hasPerson) return true;
  return isYes(await deps.io.ask(`${safeText(question)} [y/N] `));
}

/**
 * Asks before something is erased for ever; what keeps it from being done, if anything does. Where
 * nobody can be asked, a pipe may hold the answer: what says no, or may yet, is no script's silence (CL98).
 */
export async function refusedErasure(
  deps: CliDeps,
  call: Call,
  question: string,
): Promise<Outcome | undefined> {
  if (call.isOn("yes") || call.isJson || deps.io.hasPerson) {
    return (await isSure(deps, call, question)) ? undefined : stopped;
  }
  const answer = await deps.io.pipedAnswer();
  if (answer === "nobody") return undefined;
  if (answer === "silent") return unasked;
  return isYes(answer.said) ? undefined : stopped;
}

function isYes(answer: string | undefined): boolean {
  return /^y(?:es)?$/iu.test(answer?.trim() ?? "");
}

const unasked: Outcome = {
  ok: false,
  error: trouble({
    code: "unasked",
    message: "nothing was done, as nobody could be asked",
    hint: "run it in a terminal, or with --yes",
  }),
};

/** What a command ends with where the person thought better of it. */
export const stopped: Outcome = {
  ok: false,
  error: trouble({
    code: "stopped",
    message: "nothing was done",
    hint: "answer y to go on, or add --yes",
  }),
};
