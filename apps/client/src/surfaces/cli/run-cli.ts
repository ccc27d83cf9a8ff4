import { UserError } from "../../wiring/user-error.ts";
import { storeErrorOf } from "../../store/store-error.ts";
import type { Outcome } from "./command.ts";
import type { CliDeps } from "./deps.ts";
import { jsonText } from "./json.ts";
import { parseArguments } from "./parse.ts";
import { safeText } from "../../platform/terminal.ts";
import { trouble, type Trouble } from "./trouble.ts";

/** Runs the command line once and gives its exit code: 0 done, 1 failed, 2 used wrongly (CL1). */
export async function runCli(deps: CliDeps, argv: readonly string[]): Promise<0 | 1 | 2> {
  const isJson = wantsJson(argv);
  const parsed = await parseArguments(argv, deps);
  if (parsed.kind === "printed") return 0;
  if (parsed.kind === "misused") return printTrouble(deps, parsed.trouble, isJson);
  const outcome = await guarded(() => parsed.command.run(deps, parsed.call));
  if (!outcome.ok) return printTrouble(deps, outcome.error, isJson);
  const { json, text, trouble: open } = outcome.value;
  if (isJson && json !== undefined) {
    deps.io.out(`${jsonText(json, deps.io.isOutTty ? 2 : undefined)}\n`);
  } else if (text !== undefined && text !== "") {
    deps.io.out(`${text}\n`);
  }
  return open === undefined ? 0 : printTrouble(deps, open, isJson);
}

/** Whether an argument asks for JSON; what stands behind `--` is no option. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(0, end === -1 ? argv.length : end).includes("--json");
}

function printTrouble(deps: CliDeps, { code, message, hint, exitCode }: Trouble, isJson: boolean) {
  const error = { code, message: safeText(message), hint: safeText(hint) };
  if (isJson) {
    deps.io.err(`${jsonText({ error })}\n`);
  } else {
    const lines = [
      `error: ${error.message}`,
      ...(error.hint === "" ? [] : [`hint: ${error.hint}`]),
    ];
    deps.io.err(`${lines.join("\n")}\n`);
  }
  return exitCode;
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
