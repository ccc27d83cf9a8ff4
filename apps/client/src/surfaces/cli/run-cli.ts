import { fail, ok } from "@tidemark/protocol";
import { UserError } from "../../wiring/user-error.ts";
import { storeErrorOf } from "../../store/store-error.ts";
import { OutputError } from "../../platform/program.ts";
import { UnreadableFileError } from "../../platform/text-file.ts";
import type { Outcome, Output } from "./command.ts";
import type { CliDeps } from "./deps.ts";
import { jsonText } from "./json.ts";
import { parseArguments } from "./parse.ts";
import { interrupted, trouble, type Trouble } from "./trouble.ts";
import { troubleText, wantsJson } from "./trouble-text.ts";

/** Runs the command line once and gives its exit code: 0 done, 1 failed, 2 used wrongly, 130 ended by a signal (CL1). */
export async function runCli(deps: CliDeps, argv: readonly string[]): Promise<0 | 1 | 2 | 130> {
  const isJson = wantsJson(argv);
  const outcome = await guarded(async () => {
    const parsed = await parseArguments(argv, deps);
    if (parsed.kind === "printed") return ok({ json: undefined, text: undefined });
    if (parsed.kind === "misused") return fail(parsed.trouble);
    const done = await parsed.command.run(deps, parsed.call);
    if (done.ok) print(deps, done.value, isJson);
    return done;
  });
  if (!outcome.ok) return printTrouble(deps, endedBy(deps, outcome.error), isJson);
  const { trouble: open } = outcome.value;
  return open === undefined ? 0 : printTrouble(deps, open, isJson);
}

/** A request that was given up because a person stopped the command is told as that (CL65). */
function endedBy({ signal }: CliDeps, error: Trouble): Trouble {
  if (error.code !== "cancelled" || !signal.aborted) return error;
  return interrupted(
    "stopped before the server had answered",
    "see `tidemark status`, then run the same command again",
  );
}

function print({ io }: CliDeps, { json, text }: Output, isJson: boolean): void {
  if (isJson && json !== undefined) {
    io.out(`${jsonText(json, io.isOutTty ? 2 : undefined)}\n`);
  } else if (text !== undefined && text !== "") {
    io.out(`${text}\n`);
  }
}

function printTrouble(deps: CliDeps, trouble: Trouble, isJson: boolean): Trouble["exitCode"] {
  deps.io.err(troubleText(trouble, isJson));
  return trouble.exitCode;
}

/** The one place of the command line that catches. */
async function guarded(run: () => Outcome | Promise<Outcome>): Promise<Outcome> {
  try {
    return await run();
  } catch (cause) {
    return { ok: false, error: troubleOf(cause) };
  }
}

function troubleOf(cause: unknown): Trouble {
  if (cause instanceof UserError) {
    return trouble({ code: cause.code, message: cause.message, hint: cause.hint });
  }
  if (cause instanceof UnreadableFileError) return trouble(cause.error);
  if (cause instanceof OutputError) {
    return trouble({
      code: "output",
      message: `what this command says could not be written (${cause.code})`,
      hint: "what it was to change is changed; make room where its output goes, then look: `tidemark status`",
    });
  }
  const broken = storeErrorOf(cause);
  if (broken !== undefined) {
    const { kind, message, hint } = broken;
    return trouble({ code: `store-${kind}`, message, hint });
  }
  const what = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  return trouble({
    code: "defect",
    message: `tidemark has a defect (${what})`,
    hint: "run `tidemark doctor`; if it stays, report it with what you did",
  });
}
